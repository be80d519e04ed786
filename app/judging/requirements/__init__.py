"""All kinds of requirements by name. Each file of this folder holds one kind, named like the file.

The name is also the key by which an author's mapping is recognised.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules

from app.judging.requirement import Requirement


def _found() -> Iterator[tuple[str, type[Requirement]]]:
    for file in iter_modules(__path__):
        module = import_module(f"{__name__}.{file.name}")
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, Requirement) and file.name in value.model_fields:
                yield file.name, value


REQUIREMENTS: Mapping[str, type[Requirement]] = dict(_found())
