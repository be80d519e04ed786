"""Quantities as people read them."""

NONE = "–"


def seconds_text(seconds: float | None) -> str:
    if seconds is None:
        return NONE
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.3g} s"


def memory_text(size: int | None) -> str:
    """Bytes as MiB."""
    return NONE if size is None else f"{size / 2**20:.0f} MiB"


def percent_text(share: float) -> str:
    """Rounded down: 100 % means all."""
    return f"{int(100 * share + 1e-9)} %"
