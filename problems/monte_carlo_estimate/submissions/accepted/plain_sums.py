"""No NumPy: sums in plain Python, as in the formulas of the statement."""

import math


def monte_carlo_estimate(f, g, g_mean):
    f, g = f.tolist(), g.tolist()
    n = len(f)

    def estimate(values):
        mean = math.fsum(values) / n
        squares = math.fsum((value - mean) ** 2 for value in values)
        return mean, math.sqrt(squares / (n - 1) / n)

    f_bar, g_bar = math.fsum(f) / n, math.fsum(g) / n
    above = math.fsum((a - f_bar) * (b - g_bar) for a, b in zip(f, g))
    below = math.fsum((b - g_bar) ** 2 for b in g)
    beta = above / below if max(g) > min(g) else 0.0
    mean, error = estimate(f)
    controlled_mean, controlled_error = estimate([a - beta * (b - g_mean) for a, b in zip(f, g)])
    return {
        "mean": mean,
        "error": error,
        "controlled_mean": controlled_mean,
        "controlled_error": controlled_error,
    }
