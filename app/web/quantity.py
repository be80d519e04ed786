"""Quantities formatted for people."""

NONE = "–"


def seconds_text(seconds: float | None) -> str:
    if seconds is None:
        return NONE
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.3g} s"


def memory_text(size: int | None) -> str:
    """Format bytes as MiB."""
    return NONE if size is None else f"{size / 2**20:.0f} MiB"


def percent_text(share: float) -> str:
    """Format a share, rounded down: 100 % means all."""
    return f"{int(100 * share + 1e-9)} %"


def size_text(size: int) -> str:
    """Format the size of a file or table in the unit that gives a number below 1000."""
    amount, units = size / 1024, ["KiB", "MiB", "GiB"]
    while amount >= 1000 and len(units) > 1:
        amount, units = amount / 1024, units[1:]
    return f"{amount:.1f} {units[0]}" if amount < 10 else f"{amount:.0f} {units[0]}"
