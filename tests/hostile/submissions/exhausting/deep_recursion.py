# mechanism: recursion without end, the limit raised
# verdict: memory_limit_exceeded
import sys

sys.setrecursionlimit(10**9)


def down(level):
    return [down(level + 1)]


def standardise(x, eps):
    return down(0)
