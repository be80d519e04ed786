"""`allclose problem import`: a problem of another format as a package, with what its author must still do."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from app.cli.console import output
from app.cli.problem.new import FolderTaken, shown_path, write_files
from app.settings import Settings, read_settings

if TYPE_CHECKING:
    from app.catalog.importing.imported import Imported
    from app.catalog.package import Package


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
    from app.cli.problem.own_answers import find_disagreements
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
