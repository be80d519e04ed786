"""Where commands print: results on standard output, progress and errors on standard error."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from app.judging.text import spelled

if TYPE_CHECKING:
    from pydantic import BaseModel


class HarmlessConsole(Console):
    """Texts can't steer the terminal: their control characters and marks that turn text are spelled."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=spelled(segment.text))


output = HarmlessConsole()
errors = HarmlessConsole(stderr=True)


def print_json(value: "BaseModel | dict[str, Any]") -> None:
    """In ASCII: JSON's own escapes keep what a terminal would obey, and what can't be encoded."""
    data = value if isinstance(value, dict) else value.model_dump(mode="json")
    output.print_json(data=data, ensure_ascii=True)
