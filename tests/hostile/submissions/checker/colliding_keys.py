# mechanism: a dict of keys whose hashes meet in the same places
# verdict: output_limit_exceeded|time_limit_exceeded
def standardise(x, eps):
    return {float(key << 40): None for key in range(1, 45_000)}
