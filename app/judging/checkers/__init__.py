"""All checkers by name. Each file of this folder holds one checker, named like the file."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules

from app.judging.checker import Checker


def _found() -> Iterator[type[Checker]]:
    for file in iter_modules(__path__):
        module = import_module(f"{__name__}.{file.name}")
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, Checker) and value.__module__ == module.__name__:
                yield value


def _name(checker: type[Checker]) -> str:
    return checker.__module__.rpartition(".")[2]


CHECKERS: Mapping[str, type[Checker]] = {_name(checker): checker for checker in _found()}
