import numpy as np


class RunningMean:
    def __init__(self, size):
        self.count, self.now = 0, np.zeros(size)

    def add(self, x):
        self.count += 1
        self.now += (x - self.now) / self.count

    def mean(self):
        return self.now
