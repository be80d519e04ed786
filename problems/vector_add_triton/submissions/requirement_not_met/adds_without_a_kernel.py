"""Mistake: adds the whole vectors with PyTorch; the sums must come from a kernel."""


def vector_add(x, y):
    return x + y
