"""Quantities formatted for people."""

from app.judging.report import TIME_STEP
from app.judging.verdicts import Visibility

NONE = "–"


def seconds_text(seconds: float | None) -> str:
    if seconds is None:
        return NONE
    if seconds >= 120:
        minutes, rest = divmod(round(seconds), 60)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.3g} s"


def short_seconds_text(seconds: float) -> str:
    """Format a time of any length with two digits: `53 µs`, `0.53 ms`, `12 ms`, `1.2 s`."""
    if seconds < 0.0001:
        return f"{1e6 * seconds:.2g} µs"
    return f"{float(f'{1000 * seconds:.2g}'):g} ms" if seconds < 1 else f"{float(f'{seconds:.2g}'):g} s"


def memory_text(size: int | None) -> str:
    """Format bytes as MiB."""
    if size is None:
        return NONE
    return f"{size / 2**20:.0f} MiB" if size >= 2**20 else "< 1 MiB"


def case_seconds_text(seconds: float | None, visibility: Visibility) -> str:
    """Format the time of a case. That of a hidden case is in tenths of a second, and the least one stands for less."""
    if seconds is None or visibility == "sample":
        return seconds_text(seconds)
    return f"{'≤ ' if seconds <= TIME_STEP else ''}{seconds:.1f} s" if seconds < 10 else seconds_text(seconds)


def case_memory_text(size: int | None, visibility: Visibility) -> str:
    """Format the memory of a case. That of a hidden case is rounded up."""
    return memory_text(size) if not size or visibility == "sample" else f"≤ {memory_text(size)}"


def percent_text(share: float) -> str:
    """Format a share, rounded down: 100 % means all."""
    return f"{int(100 * share + 1e-9)} %"


def size_text(size: int) -> str:
    """Format the size of a file or table in the unit that gives a number below 1000."""
    amount, units = size / 1024, ["KiB", "MiB", "GiB"]
    while amount >= 1000 and len(units) > 1:
        amount, units = amount / 1024, units[1:]
    return f"{amount:.1f} {units[0]}" if amount < 10 else f"{amount:.0f} {units[0]}"
