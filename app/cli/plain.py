"""Text of students, packages and servers, made fit for a terminal: escapes and marks that turn text are spelled."""

from app.judging.text import printable

MAX_MESSAGE = 2_000
MAX_NAME = 200
MAX_LINE = 300
MAX_LINES = 40


def message(text: object) -> str:
    """May have several lines."""
    return printable(str(text), MAX_MESSAGE)


def one_line(text: object) -> str:
    return printable(str(text), MAX_NAME).replace("\n", "\\n").replace("\t", "\\t")


def excerpt(text: object) -> str:
    """The first lines of what was printed, each cut where it gets too long to read."""
    lines = str(text).rstrip().split("\n")
    kept = [printable(line, MAX_LINE) for line in lines[:MAX_LINES]]
    left = len(lines) - len(kept)
    return "\n".join([*kept, f"… {left} more lines"] if left > 0 else kept)


def tail(text: object) -> str:
    """The last lines of a traceback, which say what was raised."""
    lines = str(text).rstrip().split("\n")
    kept = [printable(line, MAX_LINE) for line in lines[-MAX_LINES:]]
    left = len(lines) - len(kept)
    return "\n".join([f"… {left} more lines", *kept] if left > 0 else kept)
