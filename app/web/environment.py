"""How templates are read: everything is escaped, and a name that the context lacks is an error."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def open_environment(templates: Path, finalize: Callable[[Any], Any]) -> Environment:
    """`finalize` makes whatever is shown fit to be."""
    return Environment(
        loader=FileSystemLoader(templates),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=finalize,
    )
