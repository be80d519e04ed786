# mechanism: sleeping for ever
# verdict: time_limit_exceeded
# seconds: 0.4
import time


def standardise(x, eps):
    time.sleep(10_000)
