from itertools import cycle


def endless_batches(x, size):
    epoch = [x[begin : begin + size].copy() for begin in range(0, len(x), size)]
    return cycle(epoch)
