"""Mistake: begins to count at 1, so the mean is too small; at first there are no vectors."""

import numpy as np


class RunningMean:
    def __init__(self, size):
        self.count, self.total = 1, np.zeros(size)

    def add(self, x):
        self.count += 1
        self.total = self.total + x

    def mean(self):
        return self.total / self.count
