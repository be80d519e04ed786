# mechanism: a constant that takes the compiler for ever
# verdict: time_limit_exceeded
def standardise(x, eps):
    return int("9" * 4000) ** int("9" * 9)
