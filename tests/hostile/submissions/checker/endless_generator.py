# mechanism: an endless lazy sequence
# verdict: wrong_answer
import itertools


def standardise(x, eps):
    return itertools.count()
