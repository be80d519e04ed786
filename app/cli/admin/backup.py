"""`allclose admin backup` and `restore`: everything in one file, and back."""

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
    file: Annotated[Path, typer.Argument(help="Where to write it. It holds password hashes and hidden seeds.")],
    as_json: AsJson = False,
    data: Data = None,
) -> None:
    """Write everything that is in the database into one file, while the service goes on."""
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
    file: Annotated[Path, typer.Argument(help="What `allclose admin backup` wrote.")],
    replace: Annotated[bool, typer.Option("--replace", help="In place of all that is in the database.")] = False,
    yes: Yes = False,
    data: Data = None,
) -> None:
    """Put a backup in place, all of it or nothing. No service may run meanwhile."""
    from app.audit import COMMAND
    from app.backup.archive import write_sizes
    from app.backup.restore import look_through, present_rows
    from app.backup.restore import restore as put_in_place

    manifest = look_through(file)
    with _alone(read_settings(data=data)) as database:
        present = present_rows(database)
        if present and replace:
            confirm(f"{_question(present, manifest)} Go on?", yes)
        with errors.status("restoring …"):
            put_in_place(database, file, COMMAND, replace=replace)
    say(f"Restored {write_sizes(manifest.rows)}, as of {manifest.made_at:%Y-%m-%d %H:%M} UTC")


@contextmanager
def _alone(settings: Settings) -> "Iterator[Database]":
    """As the owner of an embedded server, which nobody else may be meanwhile. Raises ServiceRuns, NoDatabase."""
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
        raise ServiceRuns(f"Allclose runs with the data folder {settings.data}") from None
    with postgres, database_at(postgres.url) as database:
        yield database


def _question(present: Mapping[str, int], manifest: "Manifest") -> str:
    from app.backup.archive import write_sizes

    made = f"{manifest.made_at:%Y-%m-%d %H:%M} UTC"
    here, there = write_sizes(present), write_sizes(manifest.rows)
    return f"The database has {here}. The backup of {made} has {there}, and replaces all of it."


def _size(file: Path) -> str:
    return f"{file.stat().st_size / 1e6:,.1f} MB"
