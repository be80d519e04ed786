"""Writing a backup, while the service runs: rows are counted and dumped in one snapshot."""

import subprocess
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

from sqlalchemy import Connection, inspect, text

from app.audit.record import Act, Actor, record
from app.backup.archive import MANIFEST, Manifest, write_dump
from app.backup.private_file import new_file
from app.backup.program import Server, find_program, running, server_of
from app.database import Database
from app.schema import revision_of

OPTIONS = ("--format", "custom", "--no-owner", "--no-privileges", "--schema", "public")


def back_up(database: Database, path: Path, actor: Actor) -> Manifest:
    """Raises FileNotWritten, ProgramLacks, ProgramFailed."""
    with new_file(path) as target, database.engine.connect() as connection:
        manifest = write(connection, target)
    with database.transaction() as session:
        record(session, actor, Act(action="backup.written", target=path.name, after=_sizes(manifest)))
    return manifest


def count_rows(connection: Connection) -> dict[str, int]:
    """Of every table, whatever its schema is."""
    quote = connection.dialect.identifier_preparer.quote
    names = sorted(inspect(connection).get_table_names())
    return {name: connection.scalar(text(f"SELECT count(*) FROM {quote(name)}")) or 0 for name in names}


def write(connection: Connection, target: IO[bytes]) -> Manifest:
    """Of a database with any schema."""
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
