"""`allclose problem`: packages on disk."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from app.catalog.fault import PackageInvalid
from app.catalog.package import load_package
from app.cli.console import errors, output
from app.errors import NotFound
from app.settings import Settings, read_settings

app = typer.Typer(help="Problem packages.", no_args_is_help=True)


@app.callback()
def problems() -> None:
    """Problem packages."""


@app.command("list")
def list_packages(
    folder: Annotated[Path | None, typer.Option(help="Where the packages are (or ALLCLOSE_PROBLEMS).")] = None,
) -> None:
    """List the packages of a folder, and what is wrong with those that can't be used. Exit code 1 if any can't."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("slug", no_wrap=True)
    for heading in ("title", "difficulty", "minutes", "frameworks", "cases"):
        table.add_column(heading, overflow="fold")
    broken = False
    for path in list_folders(read_settings(problems=folder)):
        try:
            package = load_package(path)
        except PackageInvalid as invalid:
            errors.print(str(invalid), style="red", markup=False, highlight=False, soft_wrap=True)
            broken = True
            continue
        manifest = package.manifest
        counts = [str(manifest.estimated_minutes), ", ".join(manifest.frameworks), str(len(manifest.cases))]
        table.add_row(package.slug, manifest.title, manifest.difficulty, *counts)
    output.print(table)
    raise typer.Exit(broken)


def list_folders(settings: Settings) -> list[Path]:
    """Every folder with a `problem.yaml`. Raises NotFound when there is none."""
    folders = sorted(path.parent for path in settings.problems.glob("*/problem.yaml"))
    if not folders:
        raise NotFound(f"{settings.problems} holds no problem package; name another folder with ALLCLOSE_PROBLEMS")
    return folders


def find_folder(problem: str) -> Path:
    """A path to a package, or the slug of one in the settings' folder. Raises NotFound."""
    if (Path(problem) / "problem.yaml").is_file():
        return Path(problem)
    known = list_folders(read_settings())
    for folder in known:
        if folder.name == problem:
            return folder
    slugs = ", ".join(folder.name for folder in known)
    raise NotFound(f"no problem {problem!r}: give the path of a package, or one of {slugs}")
