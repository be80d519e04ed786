"""Mistake: draws uniform samples; the density is 2x."""


def draw_triangular(generator, n):
    return generator.random(n)
