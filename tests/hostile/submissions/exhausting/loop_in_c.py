# mechanism: a computation inside C that checks no signal
# verdict: time_limit_exceeded
# seconds: 0.4
import re


def standardise(x, eps):
    return re.match(r"(a+)+$", "a" * 60 + "b")
