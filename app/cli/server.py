"""Running the database, the web process and a worker on one machine."""

import asyncio
import errno
import gc
import logging
import math
import resource
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import FrameType
from typing import Any

import h11
import uvicorn
from sqlalchemy import select
from uvicorn.protocols.http.h11_impl import H11Protocol

from app.accounts.model import User
from app.accounts.password import generate_password
from app.accounts.user import SignUp, sign_up
from app.authoring.publication import list_from_folder, publish_folder
from app.catalog.fault import PackageInvalid
from app.catalog.folder import digest_folder
from app.catalog.package import load_package
from app.catalog.track import publish_tracks, read_track_file
from app.cli.console import errors, output
from app.cli.deployment import postgres_options, upgraded, with_driver
from app.cli.problem.package_source import list_folders
from app.cli.supervisor import PostgresProcess, Supervisor, WorkerProcess
from app.database.embedded_server import own
from app.database.engine import Database
from app.errors import AllcloseError, Invalid
from app.settings import BadSetting, Settings
from app.web_process import create_app

# Open event streams and long polls would otherwise delay Ctrl-C without limit.
GRACE_SECONDS = 3
# The request line and headers must hold a session, a token and a page's filters.
MAX_HEAD_BYTES = 16 * 1024
# A request's head has this long to arrive.
HEAD_SECONDS = 20.0
# In this time a client must read so much of an answer that waits for it, and acknowledge what it was sent.
READ_SECONDS = 60.0
LEAST_READ_BYTES = 16 * 1024
# Each connection is an open file. Many systems allow 1024 until a process asks for more.
MOST_FILES = 65_536


class AddressInUse(AllcloseError):
    """The web process can't listen on its address: another program does, or the address is not this machine's."""


class WebNotStarted(AllcloseError):
    """The web process failed while it started."""


def run_server(settings: Settings, *, with_worker: bool) -> None:
    """Run until Ctrl-C or SIGTERM, then stop all processes.

    Raises AddressInUse, DataFolderInUse, SchemaUnknown, PostgresNotStarted, WebNotStarted.
    """
    # uvicorn raises the signal again once it has stopped. As an exception it unwinds the stack. A shell's background
    # jobs inherit SIGINT ignored.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    with ExitStack() as stack:
        listening = stack.enter_context(_listen(settings))
        # Links name the port. For port 0 the system has chosen one by now.
        settings = settings.model_copy(update={"port": listening.getsockname()[1]})
        url = stack.enter_context(_database_url(settings))
        database = stack.enter_context(upgraded(url, pool_size=20))
        fill(settings, database)
        if with_worker:
            stack.enter_context(Supervisor(WorkerProcess(settings, url)))
        _raise_file_limit()
        _Server(settings, database).serve_on(listening)


class _Requests(h11.Connection):
    """Refuses a request whose head has both `Content-Length` and `Transfer-Encoding`.

    h11 goes by `Transfer-Encoding`. A proxy that goes by the other takes what follows for another user's request.
    """

    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Request) and {name for name, _ in event.headers} >= _LENGTHS:
            raise h11.RemoteProtocolError("both Content-Length and Transfer-Encoding")
        return event


_LENGTHS = {b"content-length", b"transfer-encoding"}


class Connection(H11Protocol):
    """Ends a connection whose request head does not arrive, or whose client does not read the answer.

    It would stay open for ever, with the file of a large answer. uvicorn ends connections that pause after an answer,
    and `BodyLimit` those whose body does not arrive.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.conn = _Requests(h11.SERVER, MAX_HEAD_BYTES)
        self._head_timer: asyncio.TimerHandle | None = None
        self._read_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        for timer in (self._head_timer, self._read_timer):
            if timer:
                timer.cancel()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._await_reader()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._read_timer:
            self._read_timer.cancel()

    def _await_reader(self, before: float = math.inf) -> None:
        """End the connection if its client has read too little since `before` bytes waited."""
        left = self.transport.get_write_buffer_size()
        if before - left < LEAST_READ_BYTES:
            self.transport.abort()
        else:
            self._read_timer = self.loop.call_later(READ_SECONDS, self._await_reader, left)

    def _await_head(self) -> None:
        """Start the timer with the first byte of a head, or before it. Stop it once the head is whole."""
        if self.conn.their_state is h11.IDLE:
            self._head_timer = self._head_timer or self.loop.call_later(HEAD_SECONDS, self.transport.close)
        elif self._head_timer:
            self._head_timer.cancel()
            self._head_timer = None


class _Server(uvicorn.Server):
    """Prints the address once the pages are up. Does not log the waiting clients that a shutdown cuts off."""

    def __init__(self, settings: Settings, database: Database) -> None:
        super().__init__(
            uvicorn.Config(
                create_app(settings, database),
                log_config=None,  # uvicorn logs through Allclose's log
                access_log=False,
                timeout_graceful_shutdown=GRACE_SECONDS,
                http=Connection,
                forwarded_allow_ips=settings.trusted_proxies,
            )
        )
        self._loop: asyncio.AbstractEventLoop | None = None
        self._has_signal = asyncio.Event()
        logging.getLogger("uvicorn.error").addFilter(self._is_worth_logging)

    def _is_worth_logging(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        is_cut_off = isinstance(error, asyncio.CancelledError) or record.getMessage().startswith("Cancel ")
        return not (self.should_exit and is_cut_off)

    def serve_on(self, listening: socket.socket) -> None:
        """Serve until a signal. Raises WebNotStarted."""
        try:
            self.run(sockets=[listening])
        except KeyboardInterrupt:
            output.print("Stopping …")
        except SystemExit:  # uvicorn raises it if the start fails
            raise WebNotStarted("the web pages did not start; the lines above say why") from None

    async def main_loop(self) -> None:
        """Renew the answers' date each second until a signal comes. uvicorn's own loop wakes ten times as often."""
        self._loop = asyncio.get_running_loop()
        while not await self.on_tick(0):
            with suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await self._has_signal.wait()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        if self._loop:
            self._loop.call_soon_threadsafe(self._has_signal.set)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.started or not sockets:
            return
        _collect_rarely()
        host, port = sockets[0].getsockname()[:2]
        output.print(f"Allclose is ready at [bold]http://{f'[{host}]' if ':' in host else host}:{port}[/]")
        output.print("Ctrl-C stops it.")


def _collect_rarely() -> None:
    """Let the garbage collector look at all objects rarely, and skip what the start has made.

    At Python's usual thresholds, a thousand open event streams keep it busy: a full run looks at all their objects,
    and no request is answered meanwhile. So runs are short, and full ones rare. Reference counts free nearly everything
    that a request makes.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 4, 100)


def _raise_file_limit() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


@contextmanager
def _listen(settings: Settings) -> Iterator[socket.socket]:
    """Open the socket, before any process starts. Raises AddressInUse."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # asyncio sets TCP_NODELAY only if the protocol is given. Without it, responses wait 40 ms for an acknowledgement.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(READ_SECONDS * 1000))
        try:
            listening.bind((settings.host, settings.port))
            listening.listen()  # until then, a second server could bind the same port
        except OSError as error:
            remedy = _REMEDIES.get(error.errno or 0, "choose an address of this machine with --host")
            raise AddressInUse(
                f"can't listen on {settings.host} port {settings.port} ({error.strerror}): {remedy}"
            ) from None
        yield listening


_REMEDIES = {
    errno.EADDRINUSE: "stop the program that listens there, or choose another address with --host and --port",
    errno.EACCES: "choose a port above 1023 with --port, and let a proxy listen on this one",
}


@contextmanager
def _database_url(settings: Settings) -> Iterator[str]:
    if settings.database_url:
        yield with_driver(settings.database_url)
        return
    with (
        own(settings.data / "postgres", postgres_options(settings)) as postgres,
        Supervisor(PostgresProcess(postgres)),
    ):
        yield postgres.url


def fill(settings: Settings, database: Database) -> None:
    """Publish the packages of the folder and create the first admin. Prints a generated password. Raises BadSetting."""
    publish_packages(settings, database)
    if password := create_first_admin(database, settings.admin_password):
        # Print it at once: if the start fails later, the password must not be lost.
        shown = "of ALLCLOSE_ADMIN_PASSWORD" if settings.admin_password else f"[bold]{password}[/] (shown only once)"
        output.print(f"Sign in as [bold]admin[/], password {shown}")


def publish_packages(settings: Settings, database: Database) -> None:
    """Publish each package of the folder in its own transaction. A broken package is reported and skipped.

    A package that has not changed since the last start is not even read: its digest says so, and reading hundreds takes
    long. So it does not replace a revision that an author published since.
    """
    with database.transaction() as session:
        published = list_from_folder(session)
    for folder in list_folders(settings):
        if published.get(folder.resolve().name) == digest_folder(folder):
            continue
        with _faults_printed():
            package = load_package(folder)
            with database.transaction() as session:
                publish_folder(session, package)
    with _faults_printed():
        if tracks := read_track_file(settings.problems):
            with database.transaction() as session:
                publish_tracks(session, tracks)


@contextmanager
def _faults_printed() -> Iterator[None]:
    try:
        yield
    except PackageInvalid as error:
        errors.print(f"not published: {error}", style="red", markup=False, highlight=False, soft_wrap=True)


def create_first_admin(database: Database, chosen: str | None = None) -> str | None:
    """Create the account `admin` and return its password: the chosen or a generated one. None if an admin exists.

    Raises BadSetting if the chosen password is too weak.
    """
    with database.transaction() as session:
        if session.scalars(select(User.id).where(User.role == "admin").limit(1)).first():
            return None
        password = chosen or generate_password()
        try:
            sign_up(session, SignUp(username="admin", password=password, email=None), role="admin")
        except Invalid as error:
            raise BadSetting(f"ALLCLOSE_ADMIN_PASSWORD can't be used: {error}") from None
    return password
