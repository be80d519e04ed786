"""Rows of logits at different heights."""

import numpy as np


def heights(seed, rows, columns, spread):
    """x: (rows, columns), each row moved by between -spread and spread, in random order."""
    random = np.random.default_rng(seed)
    moved = np.linspace(-spread, spread, rows)[random.permutation(rows), None]
    return {"x": (moved + random.normal(0, 2, (rows, columns))).astype(np.float32)}
