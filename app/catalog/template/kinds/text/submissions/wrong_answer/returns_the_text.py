"""Mistake: returns the text; it must be printed."""


def print_report(rows):
    return "\n".join(f"row {i} mean {row.mean():.6f} max {row.max():.6f}" for i, row in enumerate(rows))
