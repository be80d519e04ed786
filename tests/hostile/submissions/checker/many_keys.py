# mechanism: a dict of three hundred thousand keys
# verdict: output_limit_exceeded
def standardise(x, eps):
    return {str(key): 0.0 for key in range(300_000)}
