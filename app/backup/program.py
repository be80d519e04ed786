"""PostgreSQL's programs: the wheel's, or this machine's for a server that the wheel's can't connect to."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo
from sqlalchemy import URL, Connection

from app.database.embedded_cluster import binaries
from app.errors import AllcloseError

VERSIONS_PER_MAJOR = 10_000


class ProgramLacks(AllcloseError):
    """No installed program can connect to this server."""


class ProgramFailed(AllcloseError):
    """pg_dump or pg_restore failed; the text has its error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """`is_encrypted`: the connection uses TLS, which the wheel's programs do not support."""

    url: URL
    major: int
    is_encrypted: bool

    @property
    def database(self) -> str:
        return self.url.database or ""

    def named(self, database: str) -> "Server":
        """Return another database of the same server."""
        return replace(self, url=self.url.set(database=database))

    @property
    def address(self) -> str:
        """The URL for SQLAlchemy, with the password."""
        return self.url.render_as_string(hide_password=False)

    @property
    def libpq(self) -> str:
        """The connection string for psycopg, with the password."""
        return make_conninfo("", **self._parts)

    @property
    def arguments(self) -> list[str]:
        parts = {name: value for name, value in self._parts.items() if name != "password"}
        return ["--dbname", make_conninfo("", **parts), "--no-password"]

    @property
    def _parts(self) -> dict[str, Any]:
        """The parameters that SQLAlchemy gives to psycopg: its URLs are not always valid for libpq."""
        _, parts = self.url.get_dialect()().create_connect_args(self.url)
        return dict(parts)

    @property
    def environment(self) -> dict[str, str]:
        """The environment with the password: every user of the machine can see a program's arguments."""
        password = self.url.password
        return {**os.environ, "LC_ALL": "C", **({"PGPASSWORD": str(password)} if password else {})}


def server_of(connection: Connection) -> Server:
    driver: psycopg.Connection[Any] = connection.connection.driver_connection  # type: ignore[assignment]
    return Server(
        url=connection.engine.url,
        major=driver.info.server_version // VERSIONS_PER_MAJOR,
        is_encrypted=bool(driver.pgconn.ssl_in_use),
    )


def find_program(name: str, server: Server) -> Path:
    """Find a program that is not older than the server. Raises ProgramLacks."""
    ours = binaries() / name
    if not server.is_encrypted and _major(ours) >= server.major:
        return ours
    there = shutil.which(name)
    if there and _major(Path(there)) >= server.major:
        return Path(there)
    way = ", reached over TLS" if server.is_encrypted else ""
    raise ProgramLacks(
        f"The database is PostgreSQL {server.major}{way}, which the {name} {_major(ours)} of Allclose can't use. "
        f"Install one that can: sudo apt-get install postgresql-client-{server.major}"
    )


@contextmanager
def running(command: list[str], server: Server, **streams: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program during the block, and end it with the block. Raises ProgramFailed with the program's error."""
    with subprocess.Popen(command, env=server.environment, stderr=subprocess.PIPE, **streams) as process:
        try:
            yield process
            said = process.stderr.read() if process.stderr else b""
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        raise ProgramFailed(f"{Path(command[0]).name} failed: {_first_error(said)}")


def _first_error(said: bytes) -> str:
    lines = [line.strip() for line in said.decode(errors="replace").splitlines() if line.strip()]
    return next((line for line in lines if "error:" in line), lines[0] if lines else "no error message")


def _major(program: Path) -> int:
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"(\d+)", said)
    return int(found[1]) if found else 0
