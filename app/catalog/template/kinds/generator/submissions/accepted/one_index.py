def endless_batches(x, size):
    place = 0
    while True:
        yield x[place : place + size].copy()
        place = 0 if place + size >= len(x) else place + size
