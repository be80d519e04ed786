"""Mistake: binds the name out to a new array; the buffer itself must change."""


def add_into(a, b, out):
    out = a + b
    return float(out.max())
