"""The formats that `allclose problem import` reads, by name."""

from collections.abc import Callable
from pathlib import Path

from app.catalog.importing.imported import Imported
from app.catalog.importing.kattis import read_kattis
from app.catalog.importing.kernelbench import read_kernelbench
from app.catalog.importing.literal_tests import read_literal_tests
from app.catalog.importing.notebook import read_notebook

FORMATS: dict[str, Callable[[Path], Imported]] = {
    "kattis": read_kattis,
    "kernelbench": read_kernelbench,
    "notebook": read_notebook,
    "tests": read_literal_tests,
}
