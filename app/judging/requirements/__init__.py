"""All kinds of requirements by name. Each file of this folder holds one kind, named like the file.

The name is also the key by which an author's mapping is recognised.

To add a requirement:

1. Write a subclass of `Requirement` here, with a field of the file's name. `find_contradiction`, `names` and
   `parameters` reject wrong keys. `rule` continues "your program must …", and hidden cases show it. `judge` is a pure
   function from `Facts` to what was expected and what was found.
2. Facts about a program are fields of `Evidence`, which `sandbox/guest/inspection/` fills. A counted call is a name in
   `calls.py` and a line in `sandbox/guest/record.py`. A forbidden operation of PyTorch is a row in `OPERATIONS` of
   `sandbox/guest/forbidden_calls.py`; a construct of Python is a word in `forbids_syntax.py`.
3. Add rows to `tests/judging/requirements/test_requirements.py`, a row with an example to `docs/problem-format.md`, and
   a forgery to `tests/hostile/submissions/requirements/`.
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
