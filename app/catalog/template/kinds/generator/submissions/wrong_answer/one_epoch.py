"""Mistake: ends after one epoch; the next one must begin."""


def endless_batches(x, size):
    for begin in range(0, len(x), size):
        yield x[begin : begin + size].copy()
