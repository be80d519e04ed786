"""`allclose admin backup` and `restore`: write the whole database to one file, and load it again."""

from collections.abc import Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.admin.console import AsJson, Data, Yes, confirm, say
from app.cli.console import errors, print_json
from app.settings import Settings, read_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.backup.archive import Manifest
    from app.database.engine import Database


def backup(
    file: Annotated[Path, typer.Argument(help="The file to write. It holds password hashes and hidden seeds.")],
    as_json: AsJson = False,
    data: Data = None,
) -> None:
    """Back up the database to one file. The service keeps running."""
    from app.audit import COMMAND
    from app.backup.archive import back_up, write_sizes
    from app.cli.deployment import open_database

    with open_database(read_settings(data=data)) as database, errors.status("backing up …"):
        manifest = back_up(database, file, COMMAND)
    if as_json:
        print_json(manifest)
    else:
        say(f"{file} has {write_sizes(manifest.rows)}; {_size(file)}")


def restore(
    file: Annotated[Path, typer.Argument(help="A file that `allclose admin backup` wrote.")],
    replace: Annotated[bool, typer.Option("--replace", help="Delete the data that is in the database first.")] = False,
    yes: Yes = False,
    data: Data = None,
) -> None:
    """Restore all of a backup, or nothing. Stop the service first."""
    from app.audit import COMMAND
    from app.backup.archive import write_sizes
    from app.backup.restore import look_through, present_rows
    from app.backup.restore import restore as put_in_place

    manifest = look_through(file)
    with _exclusive_database(read_settings(data=data)) as database:
        present = present_rows(database)
        if present and replace:
            confirm(f"{_warning(present, manifest)} Continue?", yes)
        with errors.status("restoring …"):
            put_in_place(database, file, COMMAND, replace=replace)
    say(f"Restored {write_sizes(manifest.rows)}, as of {manifest.made_at:%Y-%m-%d %H:%M} UTC")


@contextmanager
def _exclusive_database(settings: Settings) -> "Iterator[Database]":
    """Open the database. An embedded server is held exclusively. Raises ServiceRuns, NoDatabase."""
    from app.backup.swap import ServiceRuns
    from app.cli.deployment import database_at, postgres_options, with_driver
    from app.database.embedded_server import DataFolderInUse, own

    if settings.database_url:
        with database_at(with_driver(settings.database_url)) as database:
            yield database
        return
    try:
        postgres = own(settings.data / "postgres", postgres_options(settings))
    except DataFolderInUse:
        raise ServiceRuns(f"Allclose is running with the data folder {settings.data}") from None
    with postgres, database_at(postgres.url) as database:
        yield database


def _warning(present: Mapping[str, int], manifest: "Manifest") -> str:
    from app.backup.archive import write_sizes

    made = f"{manifest.made_at:%Y-%m-%d %H:%M} UTC"
    here, there = write_sizes(present), write_sizes(manifest.rows)
    return f"The database has {here}. The backup of {made} has {there} and replaces all of it."


def _size(file: Path) -> str:
    return f"{file.stat().st_size / 1e6:,.1f} MB"
