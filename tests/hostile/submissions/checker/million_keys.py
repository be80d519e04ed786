# mechanism: a dict of a million keys
# verdict: output_limit_exceeded
def standardise(x, eps):
    return {str(key): 0.0 for key in range(1_000_000)}
