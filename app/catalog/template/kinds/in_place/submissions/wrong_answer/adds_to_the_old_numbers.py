"""Mistake: adds to the numbers that are in the buffer; they are to be replaced."""


def add_into(a, b, out):
    out += a + b
    return float(out.max())
