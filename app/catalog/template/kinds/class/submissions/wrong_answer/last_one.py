"""Mistake: gives the last vector; the mean is over all of them."""

import numpy as np


class RunningMean:
    def __init__(self, size):
        self.count, self.last = 0, np.zeros(size)

    def add(self, x):
        self.count, self.last = self.count + 1, x

    def mean(self):
        return self.last
