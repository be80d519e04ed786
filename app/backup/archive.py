"""The backup's file: writing it from one snapshot while the service runs, and checking all of it before any use."""

import hashlib
import os
import subprocess
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any, Literal

from pydantic import ValidationError
from sqlalchemy import Connection, inspect, text

from app.audit import Act, Actor, record
from app.backup.program import Server, find_program, running, server_of
from app.database.engine import Database
from app.errors import AllcloseError
from app.schema import revision_of
from app.validation import FrozenModel

DUMP = "database.dump"
MANIFEST = "manifest.json"
MAX_MANIFEST_BYTES = 1_000_000
# Tables whose numbers of rows an admin knows roughly, and recognises a backup by.
TELLING = ("users", "problems", "submissions")
CHUNK_BYTES = 1 << 20
OPTIONS = ("--format", "custom", "--no-owner", "--no-privileges", "--schema", "public")


class BadBackup(AllcloseError):
    """The file is not a backup of Allclose, or is damaged."""


class FileNotWritten(AllcloseError):
    """The file already exists or can't be written."""


class Manifest(FrozenModel):
    """`rows` counts rows by table. `schema_revision` is the database's migration."""

    format: Literal["allclose backup 1"] = "allclose backup 1"
    allclose: str
    postgres: str
    made_at: datetime
    schema_revision: str
    rows: Mapping[str, int]
    dump_bytes: int
    dump_sha256: str


def write_sizes(rows: Mapping[str, int]) -> str:
    """Describe a backup by the sizes that an admin recognises it by."""
    sizes = [(rows.get(table, 0), table) for table in TELLING]
    return ", ".join(f"{size:,} {table.removesuffix('s') if size == 1 else table}" for size, table in sizes)


def write_dump(archive: zipfile.ZipFile, source: IO[bytes]) -> tuple[int, str]:
    """Write the dump, which is already compressed. Return its size in bytes and its SHA-256."""
    size, summed = 0, hashlib.sha256()
    with archive.open(DUMP, "w", force_zip64=True) as target:
        while chunk := source.read(CHUNK_BYTES):
            target.write(chunk)
            summed.update(chunk)
            size += len(chunk)
    return size, summed.hexdigest()


@contextmanager
def open_backup(path: Path) -> Iterator[tuple[Manifest, zipfile.ZipFile]]:
    """Check the whole file, then open it. Raises BadBackup."""
    with _readable(path), zipfile.ZipFile(path) as archive:
        manifest = _read_manifest(archive)
        _check_sum(archive, manifest)
        yield manifest, archive


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Raises BadBackup."""
    try:
        yield
    except OSError as error:
        raise BadBackup(f"{path} can't be read ({error.strerror or error}).") from None
    except (zipfile.BadZipFile, KeyError, ValidationError):
        raise BadBackup(
            f"{path} is not an undamaged backup of Allclose, as `allclose admin backup` writes it. "
            "Copy it again from its origin, or use another backup."
        ) from None


def _read_manifest(archive: zipfile.ZipFile) -> Manifest:
    with archive.open(MANIFEST) as file:
        return Manifest.model_validate_json(file.read(MAX_MANIFEST_BYTES))


def _check_sum(archive: zipfile.ZipFile, manifest: Manifest) -> None:
    with archive.open(DUMP) as dump:
        found = hashlib.file_digest(dump, "sha256").hexdigest()  # type: ignore[arg-type]
    if found != manifest.dump_sha256:
        raise zipfile.BadZipFile("the dump is not the one that the manifest names")


def back_up(database: Database, path: Path, actor: Actor) -> Manifest:
    """Write a backup to a new file. Raises FileNotWritten, ProgramLacks and ProgramFailed."""
    with new_file(path) as target, database.engine.connect() as connection:
        manifest = write(connection, target)
    with database.transaction() as session:
        record(session, actor, Act(action="backup.written", target=path.name, after=_sizes(manifest)))
    return manifest


@contextmanager
def new_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that only its owner can read, and that gets its name when the block ends.

    Until then it is `….partial`, which a killed process leaves. Raises FileNotWritten.
    """
    if path.is_dir():
        raise FileNotWritten(f"{path} is a folder. Name a file in it.")
    if path.exists():
        raise FileNotWritten(f"{path} already exists. Name another file, or remove it first.")
    partial = path.with_name(f"{path.name}.partial")
    try:
        partial.unlink(missing_ok=True)
        target = os.fdopen(os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b")
    except OSError as error:
        raise FileNotWritten(f"{path} can't be written ({error.strerror}). Choose another folder.") from None
    try:
        with target:
            yield target
            target.flush()
            os.fsync(target.fileno())
        partial.rename(path)
    except OSError as error:
        raise FileNotWritten(f"{path} could not be written completely ({error.strerror}).") from None
    finally:
        partial.unlink(missing_ok=True)


def count_rows(connection: Connection) -> dict[str, int]:
    """Count the rows of every table, of any schema."""
    quote = connection.dialect.identifier_preparer.quote
    names = sorted(inspect(connection).get_table_names())
    return {name: connection.scalar(text(f"SELECT count(*) FROM {quote(name)}")) or 0 for name in names}


def write(connection: Connection, target: IO[bytes]) -> Manifest:
    """Write a backup of a database with any schema."""
    connection = connection.execution_options(isolation_level="REPEATABLE READ")
    snapshot = connection.scalar(text("SELECT pg_export_snapshot()"))
    server = server_of(connection)
    with zipfile.ZipFile(target, "w") as archive:
        size, summed = _dump(server, str(snapshot), archive)
        manifest = Manifest(
            allclose=version("allclose"),
            postgres=str(connection.scalar(text("SHOW server_version"))),
            made_at=datetime.now(UTC),
            schema_revision=revision_of(connection) or "",
            rows=count_rows(connection),
            dump_bytes=size,
            dump_sha256=summed,
        )
        archive.writestr(MANIFEST, manifest.model_dump_json(indent=2))
    return manifest


def _dump(server: Server, snapshot: str, archive: zipfile.ZipFile) -> tuple[int, str]:
    command = [str(find_program("pg_dump", server)), *OPTIONS, "--snapshot", snapshot, *server.arguments]
    with running(command, server, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        return write_dump(archive, process.stdout)


def _sizes(manifest: Manifest) -> Mapping[str, Any]:
    return {"bytes": manifest.dump_bytes, "sha256": manifest.dump_sha256, "rows": sum(manifest.rows.values())}
