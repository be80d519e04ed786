"""Where commands print: results on standard output, progress and errors on standard error."""

from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from pydantic import BaseModel

output = Console()
errors = Console(stderr=True)


def print_json(value: "BaseModel") -> None:
    """In ASCII: JSON's own escapes keep what a terminal would obey, and what can't be encoded."""
    output.print_json(data=value.model_dump(mode="json"), ensure_ascii=True)
