"""All checkers by name. Each file of this folder holds one checker, named like the file.

To add a checker:

1. Write a subclass of `Checker` here. Its fields are the author's keys. `kinds` and `find_unfit_shape` say which leaves
   it can't judge. The docstring states the rule exactly, with its source.
2. An answer may have any shape, NaN, inf and extreme numbers. A checker never raises for one, and its time and memory
   are bounded. If a large leaf would cost too much, `find_unfit_shape` names the limit.
3. Add an example to `tests/judging/checkers/examples.py`, which `test_every_checker.py` tries with hostile answers, a
   test against an independent computation, and a row with an example to `docs/problem-format.md`.
"""

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
