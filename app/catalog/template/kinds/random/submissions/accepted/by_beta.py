def draw_triangular(generator, n):
    return generator.beta(2, 1, n)
