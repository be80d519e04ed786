"""Where commands print: results on standard output, progress and errors on standard error.

Text of students, packages and servers, made fit for a terminal: escapes and marks that turn text are spelled.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from app.judging.text import printable, spelled

if TYPE_CHECKING:
    from pydantic import BaseModel


class HarmlessConsole(Console):
    """Texts can't steer the terminal: their control characters and marks that turn text are spelled."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=spelled(segment.text))


# More than any table of ours has in a line.
MOST_CHARACTERS = 100_000

output = HarmlessConsole()
errors = HarmlessConsole(stderr=True)


def print_whole(table: Table) -> None:
    """No column is cut, and none that does not wrap is broken: a terminal that is too narrow breaks the lines itself.

    Where no terminal reads it, each row is one line, however long.
    """
    unlimited = output.options.update(width=MOST_CHARACTERS, max_width=MOST_CHARACTERS)
    needed = Measurement.get(output, unlimited, table)
    width = max(output.width, needed.minimum) if output.is_terminal else needed.maximum
    for line in output.render_lines(table, unlimited.update(width=width), pad=False):
        text = Text.assemble(*((segment.text, segment.style or "") for segment in line))
        text.rstrip()
        output.print(text, highlight=False, soft_wrap=True)


def print_json(value: "BaseModel | dict[str, Any]") -> None:
    """In ASCII: JSON's own escapes keep what a terminal would obey, and what can't be encoded."""
    data = value if isinstance(value, dict) else value.model_dump(mode="json")
    output.print_json(data=data, ensure_ascii=True)


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
