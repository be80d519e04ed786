# mechanism: int() of five million digits, without its limit
# verdict: time_limit_exceeded
# seconds: 0.4
import sys

sys.set_int_max_str_digits(0)


def standardise(x, eps):
    return int("7" * 5_000_000)
