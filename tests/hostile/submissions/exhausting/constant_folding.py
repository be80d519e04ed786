# mechanism: a constant that takes the compiler for ever
# verdict: time_limit_exceeded
# seconds: 0.4
def standardise(x, eps):
    return int("9" * 4000) ** int("9" * 9)
