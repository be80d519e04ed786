# mechanism: an ndarray subclass that answers for its elements
# verdict: wrong_answer
import numpy as np


class Lying(np.ndarray):
    def __array_function__(self, func, types, args, kwargs):
        return True

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return np.zeros(1, bool)

    def __eq__(self, other):
        return np.ones(self.shape, bool)


def standardise(x, eps):
    return np.zeros_like(x).view(Lying)
