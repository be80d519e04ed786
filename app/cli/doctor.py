"""`allclose doctor`: what this machine lacks."""


def doctor() -> None:
    """Say what this machine lacks, and the command that mends it."""
