"""`allclose problem new`: write a package that works, for its author to change."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from app.cli.console import output
from app.cli.problem.package_source import NAMED, find_source
from app.errors import Conflict
from app.settings import Settings, read_settings


class FolderTaken(Conflict):
    """The folder for the new package exists already."""


def new(
    slug: Annotated[str, typer.Argument(help="The folder's name and the last part of the problem's address.")],
    like: Annotated[
        str | None, typer.Option(metavar="PROBLEM", help=f"A problem to begin like. {NAMED} Default: a small exercise.")
    ] = None,
    folder: Annotated[Path | None, typer.Option(help="The folder of the packages (or ALLCLOSE_PROBLEMS).")] = None,
) -> None:
    """Write a new problem package: a small NumPy exercise that passes verification, for you to change.

    With --like, the package has the manifest, the code, the cases and the known submissions of another problem, and
    TODO where you must write your own texts. `allclose problem list` shows the problems of your problems folder.
    """
    settings = read_settings(problems=folder)
    target = settings.problems / slug
    if target.exists() or target.is_symlink():
        raise FolderTaken(f"{target} exists already: choose another slug or remove the folder")
    files = _begin(slug, like, settings)
    write_files(target, files)
    output.print(f"Wrote [bold]{escape(str(shown_path(target)))}[/]:", soft_wrap=True)
    for file in sorted(files):
        output.print(f"  {file}", markup=False, highlight=False)
    _say_what_next(target, like)


def _begin(slug: str, like: str | None, settings: Settings) -> dict[str, str]:
    """Return the files of the new package. Raises NotFound, PackageInvalid."""
    from app.catalog import new_package
    from app.catalog.importing.package_writer import title_of
    from app.catalog.package import package_from_files

    title, schema = title_of(slug), f"{settings.server}/schema/problem.json"
    if like is None:
        files = new_package.write_template(title, schema)
    else:
        other = find_source(like).load()
        texts = {path: content.decode() for path, content in other.files.items()}
        files = new_package.write_like(other.slug, texts, title, schema)
    package_from_files(slug, {path: text.encode() for path, text in files.items()})
    return files


def write_files(target: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_text(text, encoding="utf-8")


def shown_path(target: Path) -> Path:
    """Return the path relative to the working folder, if it is inside."""
    return target.relative_to(Path.cwd()) if target.is_relative_to(Path.cwd()) else target


def _say_what_next(target: Path, like: str | None) -> None:
    shown = shown_path(target)
    if like is None:
        output.print(
            "It is a small exercise that passes verification. Change the files into your problem.", soft_wrap=True
        )
    else:
        output.print(
            "Write what problem.yaml lists at its top. Until then, verification refuses the package.", soft_wrap=True
        )
    output.print("Useful commands:")
    for command, what in (
        ("preview", "show its page, and reload it when a file changes"),
        ("verify", "check that it judges correctly"),
        ("publish", "send it to a server"),
    ):
        output.print(f"  allclose problem {command} {shown}  # {what}", markup=False, highlight=False, soft_wrap=True)
