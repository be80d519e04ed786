"""The terminal: results go to standard output, progress and errors to standard error.

Text of students, packages and servers may hold control characters. They are shown as escapes, so that the text can't
steer the terminal.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from app.judging.printable_text import printable, spelled

if TYPE_CHECKING:
    from pydantic import BaseModel
MAX_MESSAGE = 2_000
MAX_NAME = 200
MAX_LINE = 300
MAX_LINES = 40
LAST_LINES = 10


class HarmlessConsole(Console):
    """A console that shows control characters and bidirectional marks as escapes."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=spelled(segment.text))


output = HarmlessConsole()
errors = HarmlessConsole(stderr=True)


def print_json(value: "BaseModel | dict[str, Any]") -> None:
    """Print JSON as ASCII. JSON's escapes hide control characters and characters that can't be encoded."""
    data = value if isinstance(value, dict) else value.model_dump(mode="json")
    output.print_json(data=data, ensure_ascii=True)


def message(text: object) -> str:
    """Return printable text, which may have several lines."""
    return printable(str(text), MAX_MESSAGE)


def one_line(text: object) -> str:
    return printable(str(text), MAX_NAME).replace("\n", "\\n").replace("\t", "\\t")


def excerpt(text: object) -> str:
    """Return the first and the last lines of a program's output, each cut at `MAX_LINE` characters."""
    lines = [printable(line, MAX_LINE) for line in str(text).rstrip().split("\n")]
    left = len(lines) - MAX_LINES
    if left > 1:
        lines[MAX_LINES - LAST_LINES : -LAST_LINES] = [f"… {left} lines left out …"]
    return "\n".join(lines)


def tail(text: object) -> str:
    """Return the last lines of a traceback, which name the exception."""
    lines = str(text).rstrip().split("\n")
    kept = [printable(line, MAX_LINE) for line in lines[-MAX_LINES:]]
    left = len(lines) - len(kept)
    return "\n".join([f"… {left} more lines", *kept] if left > 0 else kept)
