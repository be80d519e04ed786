"""Mistake: fills the last batch of an epoch with the next one; it may be smaller."""

import numpy as np


def endless_batches(x, size):
    place = 0
    while True:
        yield x[np.arange(place, place + size) % len(x)]
        place += size
