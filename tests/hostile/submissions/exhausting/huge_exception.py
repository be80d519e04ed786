# mechanism: an exception with a message of many megabytes
# verdict: runtime_error
def standardise(x, eps):
    raise ValueError("x" * 20_000_000)
