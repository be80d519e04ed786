# mechanism: sleeping for ever
# verdict: time_limit_exceeded
import time


def standardise(x, eps):
    time.sleep(10_000)
