"""Who runs the embedded server: one owner per folder."""

import fcntl
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import psycopg
from psycopg import sql
from sqlalchemy import URL

from app.embedded_postgres.cluster import SUPERUSER, Cluster
from app.embedded_postgres.server import Server, find_server, spawn_server, start_server
from app.errors import AllcloseError

# Not a superuser: what the application can be talked into can't read the host's files.
ROLE = "allclose"
DATABASE = "allclose"


class DataFolderInUse(AllcloseError):
    """Another process owns the embedded server of this folder."""


@dataclass(slots=True)
class EmbeddedPostgres:
    """A running server; `url` is for SQLAlchemy. `stop` stops it if it is ours, and does nothing if it was joined."""

    url: str
    server: Server
    cluster: Cluster
    options: Mapping[str, str]
    lock: IO[str] | None

    has_ended: bool = False

    def wait(self) -> int | None:
        """Wait until the server has ended, by itself or by `stop`; return its exit status where that is known."""
        status = self.server.wait()
        self.has_ended = True
        return status

    def restart(self) -> None:
        """Start the server that has ended again; it answers at the same URL once it is ready. Raises OSError."""
        self.server = spawn_server(self.cluster, self.options, self.server.socket_folder)
        self.has_ended = False

    def stop(self) -> None:
        if self.lock is not None and not self.lock.closed:
            if not self.has_ended:  # its process id may be another process's by now
                self.server.stop()
            self.lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def own(folder: Path, options: Mapping[str, str] | None = None) -> EmbeddedPostgres:
    """Start the server in `folder`, made if need be. `options` are settings of PostgreSQL.

    Raises DataFolderInUse when a living process owns it, PostgresNotStarted.
    """
    cluster = Cluster(_prepare(folder))
    lock = _try_lock(cluster)
    if lock is None:
        owner = (cluster.folder / "owner.lock").read_text().strip()
        raise DataFolderInUse(
            f"The data folder {cluster.folder.parent} is in use by another Allclose (process {owner}). "
            "Stop that one, give this one a folder of its own with --data, "
            "or let both use one PostgreSQL by ALLCLOSE_DATABASE_URL."
        )
    return _open(cluster, options, lock)


def join(folder: Path, options: Mapping[str, str] | None = None) -> EmbeddedPostgres:
    """Use the owner's server, or own the folder, with these options, when nobody does. Raises PostgresNotStarted."""
    cluster = Cluster(_prepare(folder))
    lock = _try_lock(cluster)
    if lock is not None:
        return _open(cluster, options, lock)
    server = find_server(cluster)
    if server is None:
        raise cluster.not_started("another process of Allclose is starting or stopping it; try again in a moment")
    return EmbeddedPostgres(_url(cluster, server), server, cluster, options or {}, None)


def _prepare(folder: Path) -> Path:
    folder = folder.absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # As root the server, which is then another user, passes through; what is inside has closed modes of its own.
        folder.chmod(0o711 if os.geteuid() == 0 else 0o700)
    except OSError as error:
        raise Cluster(folder).not_started(f"its folder can't be made ({error})") from None
    return folder


def _try_lock(cluster: Cluster) -> IO[str] | None:
    lock = (cluster.folder / "owner.lock").open("a+")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        return None
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    return lock


def _open(cluster: Cluster, options: Mapping[str, str] | None, lock: IO[str]) -> EmbeddedPostgres:
    """The lock is the server's from here on: it is dropped when there is none."""
    try:
        server = _start(cluster, options or {})
    except BaseException:
        lock.close()
        raise
    return EmbeddedPostgres(_url(cluster, server), server, cluster, options or {}, lock)


def _start(cluster: Cluster, options: Mapping[str, str]) -> Server:
    cluster.create()
    server = find_server(cluster) or start_server(cluster, options)
    try:
        _ensure_database(cluster, server)
    except BaseException:
        server.stop()
        raise
    return server


def _ensure_database(cluster: Cluster, server: Server) -> None:
    with psycopg.connect(
        host=str(server.socket_folder), user=SUPERUSER, password=cluster.password, dbname="postgres", autocommit=True
    ) as connection:
        if connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [ROLE]).fetchone() is None:
            role = sql.SQL("CREATE ROLE {} LOGIN CREATEDB PASSWORD {}")
            connection.execute(role.format(sql.Identifier(ROLE), sql.Literal(cluster.password)))
        if connection.execute("SELECT FROM pg_database WHERE datname = %s", [DATABASE]).fetchone() is None:
            database = sql.SQL("CREATE DATABASE {} OWNER {}")
            connection.execute(database.format(sql.Identifier(DATABASE), sql.Identifier(ROLE)))


def _url(cluster: Cluster, server: Server) -> str:
    url = URL.create(
        "postgresql+psycopg", ROLE, cluster.password, database=DATABASE, query={"host": str(server.socket_folder)}
    )
    return url.render_as_string(hide_password=False)
