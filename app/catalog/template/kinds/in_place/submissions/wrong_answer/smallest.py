"""Mistake: returns the smallest element; the largest is asked for."""


def add_into(a, b, out):
    out[:] = a + b
    return float(out.min())
