import numpy as np


class RunningMean:
    def __init__(self, size):
        self.count = 0
        self.total = np.zeros(size)

    def add(self, x):
        self.count += 1
        self.total += x

    def mean(self):
        return self.total / max(self.count, 1)
