"""Mistake: adds rectangles, which are too coarse with so few points."""


def integrate_function(f, a, b):
    h = (b - a) / 50
    return h * sum(f(a + i * h) for i in range(50))
