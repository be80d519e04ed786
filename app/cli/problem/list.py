"""`allclose problem list`: the packages of a folder."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from app.catalog.fault import PackageInvalid
from app.catalog.package import Package, load_package
from app.cli.console import errors, output
from app.cli.problem.package_source import list_folders
from app.settings import read_settings

WIDE_COLUMNS = 110


def list_packages(
    folder: Annotated[Path | None, typer.Option(help="The folder of the packages (or ALLCLOSE_PROBLEMS).")] = None,
) -> None:
    """List the packages of a folder, and the faults of broken ones. Exit code 1 if any is broken."""
    folders = list_folders(read_settings(problems=folder))
    packages = list(_load_sound(folders))
    output.print(_package_table(packages))
    raise typer.Exit(len(packages) < len(folders))


def _load_sound(folders: list[Path]) -> Iterator[Package]:
    for path in folders:
        try:
            yield load_package(path)
        except PackageInvalid as invalid:
            errors.print(str(invalid), style="red", markup=False, highlight=False, soft_wrap=True)


def _package_table(packages: list[Package]) -> Table:
    """Return the table. A narrow terminal leaves out two columns; long titles wrap."""
    is_wide = output.width >= WIDE_COLUMNS
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("slug", no_wrap=True)
    table.add_column("title")
    for heading in ("difficulty", "minutes", *(("frameworks", "cases") if is_wide else ())):
        table.add_column(heading, no_wrap=True, justify="right" if heading in ("minutes", "cases") else "left")
    for package in packages:
        manifest = package.manifest
        row = [package.slug, escape(manifest.title), manifest.difficulty, str(manifest.estimated_minutes)]
        extra = [", ".join(manifest.frameworks), str(len(manifest.cases))]
        table.add_row(*row, *(extra if is_wide else ()))
    return table
