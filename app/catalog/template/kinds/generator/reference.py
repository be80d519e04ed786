def endless_batches(x, size):
    while True:
        for begin in range(0, len(x), size):
            yield x[begin : begin + size].copy()
