# mechanism: gives the function to a library, which calls it
# verdict: requirement_not_met
# problem: product_by_hand
# message: found numpy.dot in line 9
import numpy as np


def product(a, b):
    return np.vectorize(np.dot, signature='(n,m),(m,k)->(n,k)')(a, b)
