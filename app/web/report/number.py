"""Numbers for people."""

from math import isinf


def share_text(share: float) -> str:
    """Of a tolerance: `3.6 %`, `12 ×`, `1.3e+06 ×`."""
    if isinf(share):
        return "∞"
    if share < 1:
        return f"{100 * share:.2g} %"
    return f"{share:.3g} ×" if share < 1e6 else f"{share:.1e} ×"


def seconds_text(seconds: float) -> str:
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.3g} s"


def percent_text(share: float) -> str:
    """Rounded down: 100 % means all."""
    return f"{int(100 * share + 1e-9)} %"
