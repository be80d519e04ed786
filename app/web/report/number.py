"""Numbers for people."""


def seconds_text(seconds: float) -> str:
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.3g} s"


def percent_text(share: float) -> str:
    """Rounded down: 100 % means all."""
    return f"{int(100 * share + 1e-9)} %"
