import numpy as np


class RunningMean:
    def __init__(self, size):
        self.seen, self.size = [], size

    @property
    def count(self):
        return len(self.seen)

    def add(self, x):
        self.seen.append(x)

    def mean(self):
        return np.mean(self.seen, axis=0) if self.seen else np.zeros(self.size)
