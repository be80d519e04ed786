"""Mistake: prints the median; the mean is asked for."""

import numpy as np


def print_report(rows):
    for i, row in enumerate(rows):
        print(f"row {i} mean {np.median(row):.6f} max {row.max():.6f}")
