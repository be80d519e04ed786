def endless_batches(x, size):
    """Yield the examples x: (N,) in order, `size` at a time, again and again."""
    raise NotImplementedError("replace this line with your solution")
