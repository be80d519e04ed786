"""`allclose problem import`: a problem of another format as a package, with what its author must still do.

Whether a package's reference gives the answers that its source has for the cases.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.text import Text

from app.catalog.package import Package
from app.cli.console import output
from app.cli.problem.new import FolderTaken, shown_path, write_files
from app.settings import Settings, read_settings
from app.worker.boxes import find_cache, open_launcher, open_reference_pool
from app.worker.prepare import Draw, prepare
from sandbox.guest.codec import decode

if TYPE_CHECKING:
    from app.catalog.importing.imported import Imported
    from app.catalog.package import Package


# Answers in files are rounded.
RTOL, ATOL = 1e-4, 1e-6
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def find_disagreements(package: Package, answers: Mapping[str, Any], settings: Settings) -> list[str]:
    """A sentence for each case. Raises ReferenceFailed, BoxLost, SandboxUnavailable."""
    launcher = open_launcher(settings, cache=find_cache(settings))
    with open_reference_pool(settings, launcher) as pool:
        prepared = prepare(package, Draw(b"import", 0), pool, Event())
    given = {case.name: decode(case.expected) for case in prepared.cases}
    return [
        f"{name}: the solution gives {_short(given[name])}, the source {_short(answer)}"
        for name, answer in answers.items()
        if not agrees(given[name], answer)
    ]


def agrees(given: Any, answer: Any) -> bool:
    """As far as a text form of the answer lets anybody tell: arrays may be lists, tuples lists, numbers rounded."""
    if isinstance(answer, str) and not isinstance(given, str):
        return _agrees_as_text(str(given), answer)
    given = given.tolist() if isinstance(given, np.ndarray | np.generic) else given
    if isinstance(answer, dict) and isinstance(given, dict):
        named = {str(key): value for key, value in given.items()}
        return set(named) == set(answer) and all(agrees(named[key], answer[key]) for key in answer)
    if isinstance(answer, list | tuple) and isinstance(given, list | tuple):
        return len(given) == len(answer) and all(map(agrees, given, answer))
    if isinstance(answer, bool) or isinstance(given, bool):
        return given is answer
    if isinstance(answer, int | float) and isinstance(given, int | float):
        return bool(np.isclose(given, answer, rtol=RTOL, atol=ATOL, equal_nan=True))
    return bool(given == answer)


def _agrees_as_text(given: str, answer: str) -> bool:
    """What a program printed: the same numbers in their order, or the same words where there are none."""
    numbers, wanted = _NUMBER.findall(given), _NUMBER.findall(answer)
    if not wanted:
        return "".join(given.split()) == "".join(answer.split())
    return agrees(list(map(float, numbers)), list(map(float, wanted)))


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def import_package(
    form: Annotated[str, typer.Argument(metavar="FORMAT", help="kattis, kernelbench or tests.")],
    source: Annotated[Path, typer.Argument(help="The folder or file to import.", exists=True)],
    to: Annotated[
        Path | None, typer.Option(help="The new package's folder; default: named after the source, among the problems.")
    ] = None,
) -> None:
    """Make a package of a problem in another format. Nothing of it is run, except in a box.

    kattis: a problem package of Kattis or the ICPC. kernelbench: a file with Model and get_inputs. tests: a folder with
    a statement, solution.py and tests.json. Says what does not map and what you must still do; the same list stands at
    the head of problem.yaml. Exit code 1 when the imported solution does not give the source's own answers.
    """
    settings = read_settings()
    imported = _read(form, source)
    target = to or settings.problems / imported.slug
    if target.exists() or target.is_symlink():
        raise FolderTaken(f"{target} is there already, and stays as it is: choose another folder with --to")
    package = _load(imported, target)
    write_files(target, imported.files)
    output.print(f"Wrote [bold]{shown_path(target)}[/] from {source}.", highlight=False, soft_wrap=True)
    _print_list("What does not map, and was left out:", imported.left_out)
    disagreements = _compare(package, imported, settings)
    _print_list("The imported solution and the source's own answers differ:", disagreements)
    _print_list("To do, before `allclose problem verify` can pass:", imported.todo)
    raise typer.Exit(bool(disagreements))


def _read(form: str, source: Path) -> "Imported":
    """Raises ImportRefused."""
    from app.catalog.importing.formats import FORMATS
    from app.catalog.importing.imported import ImportRefused

    if form not in FORMATS:
        raise ImportRefused(f"{form!r} is no format that is known: use one of {', '.join(FORMATS)}")
    return FORMATS[form](source)


def _load(imported: "Imported", target: Path) -> "Package":
    """Under the name of the folder that it will have. Raises PackageInvalid."""
    from app.catalog.package import package_from_files

    files = {path: text.encode() for path, text in imported.files.items()}
    return package_from_files(target.resolve().name, files)


def _compare(package: "Package", imported: "Imported", settings: Settings) -> list[str]:
    """Where this machine opens a box; elsewhere it is said that nothing was compared."""
    from app.cli.problem.import_package import find_disagreements
    from app.errors import JudgeFailed
    from sandbox.interface import SandboxError

    if not imported.answers:
        output.print("The source holds no answers of its own to compare with.")
        return []
    try:
        found = find_disagreements(package, imported.answers, settings)
    except JudgeFailed as error:
        return [str(error)]
    except SandboxError as error:
        output.print(f"Its own answers were not compared: {error}", markup=False, highlight=False, soft_wrap=True)
        return []
    if not found:
        output.print(f"In a box, the imported solution gives all {len(imported.answers)} answers of the source.")
    return found


def _print_list(heading: str, lines: "tuple[str, ...] | list[str]") -> None:
    if lines:
        output.print(f"\n{heading}", markup=False, highlight=False)
    for line in lines:
        output.print(Text(f"  - {line}"), soft_wrap=True)
