# mechanism: gives a text to NumPy's tests
# verdict: requirement_not_met
# problem: product_by_hand
# message: numpy.testing in line 7
import numpy.testing

numpy.testing.measure('1 + 1')


def product(a, b):
    return (a[:, :, None] * b).sum(1)
