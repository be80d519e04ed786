"""Mistake: counts the rows from 1; the first row has number 0."""


def print_report(rows):
    for i, row in enumerate(rows, 1):
        print(f"row {i} mean {row.mean():.6f} max {row.max():.6f}")
