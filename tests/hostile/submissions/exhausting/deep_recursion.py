# mechanism: recursion without end, the limit raised
# verdict: runtime_error
import sys

sys.setrecursionlimit(10**9)


def down(level):
    return [down(level + 1)]


def standardise(x, eps):
    return down(0)
