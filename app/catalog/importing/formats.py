"""The formats that `allclose problem import` reads, by name."""

from collections.abc import Callable
from pathlib import Path

from app.catalog.importing.imported import Imported
from app.catalog.importing.kattis import read_kattis
from app.catalog.importing.kernelbench import read_kernelbench
from app.catalog.importing.literal_tests import read_literal_tests
from app.catalog.importing.notebook import read_notebook
from app.catalog.importing.observation import Observe
from app.catalog.importing.torch_judge import read_torch_judge

# `Observe` calls the source's solution in a sandbox, and returns the types that it saw there.
FORMATS: dict[str, Callable[[Path, Observe], Imported]] = {
    "kattis": lambda source, _observe: read_kattis(source),
    "kernelbench": read_kernelbench,
    "notebook": read_notebook,
    "tests": read_literal_tests,
    "torch-judge": read_torch_judge,
}
