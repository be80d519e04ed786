# mechanism: a program of many megabytes compiled at run time
# verdict: time_limit_exceeded|memory_limit_exceeded
# seconds: 0.4
def standardise(x, eps):
    return eval(compile("[" + "(lambda: [x for x in y]),\n" * 100_000 + "]", "x", "eval"))
