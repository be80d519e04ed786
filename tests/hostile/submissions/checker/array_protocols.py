# mechanism: an object that offers __array__ and __array_interface__, different at each read
# verdict: wrong_answer
import numpy as np


class Shifting:
    reads = 0

    def __array__(self, dtype=None, copy=None):
        Shifting.reads += 1
        return np.full(100, Shifting.reads, np.float32)

    @property
    def __array_interface__(self):
        return np.zeros(100, np.float32).__array_interface__


def standardise(x, eps):
    return Shifting()
