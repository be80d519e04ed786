"""The formats that `allclose problem import` reads, by name."""

from collections.abc import Callable
from pathlib import Path

from app.catalog.importing.kattis import read_kattis
from app.catalog.importing.notebook import read_notebook
from app.catalog.importing.observation import Observe
from app.catalog.importing.package_writer import ImportedPackage
from app.catalog.importing.tests_json import read_tests_json

# `Observe` calls the source's solution in a sandbox, and returns the types that it saw there.
FORMATS: dict[str, Callable[[Path, Observe], ImportedPackage]] = {
    "kattis": lambda source, _observe: read_kattis(source),
    "notebook": read_notebook,
    "tests": read_tests_json,
}
