"""Where commands print: results on standard output, progress and errors on standard error."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from app.judging.text import spelled

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
