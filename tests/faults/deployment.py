"""A deployment whose parts a test can break: PostgreSQL, two web processes, two workers, and proxies between them.

Every process runs the code and the command of a real deployment. Only the leases are shorter. A process that ends is
started again at once, as `restart: always` of Docker Compose does.
"""

import atexit
import os
import secrets
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import httpx
import psutil
import psycopg
from sqlalchemy import make_url

from app.database import embedded_cluster
from app.database.embedded_server import EmbeddedPostgres, own
from app.settings import ROOT
from tests.engine import Engine
from tests.faults.proxy import Loop, Proxy
from tests.queue.fleet import RECORD
from tests.serving import ADMIN, ONE_PROBLEM

START_SECONDS = 120
RESTART_SECONDS = 0.2
DISK_BYTES = 768 * 2**20
POSTGRES_OPTIONS = {"max_connections": "150", "max_wal_size": "96MB", "min_wal_size": "32MB", "random_page_cost": "1.1"}
# So that no limit of one user refuses what the test sends.
POLICY = {"max_pending": 10_000, "requests_per_minute": 1_000_000, "judging_seconds_per_hour": 1_000_000}


@dataclass
class Clock:
    """The clock of the processes that have `variables` in their environment. `shift` moves it, now."""

    file: Path

    def __post_init__(self) -> None:
        self.file.write_bytes(bytes(8))
        self.file.chmod(0o644)

    @property
    def variables(self) -> dict[str, str]:
        library = shifted_clock()
        return {"LD_PRELOAD": str(library), "SHIFTED_CLOCK": str(self.file)} if library else {}

    def shift(self, seconds: int) -> None:
        with self.file.open("r+b") as file:
            file.write(struct.pack("=q", seconds * 10**9))


@cache
def shifted_clock() -> Path | None:
    """Compile the library that shifts a clock. None without a C compiler."""
    compiler, source = shutil.which("cc"), Path(__file__).with_name("shifted_clock.c")
    if compiler is None:
        return None
    folder = Path(tempfile.mkdtemp(prefix="allclose-clock-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o755)
    library = folder / "shifted_clock.so"
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, source], check=True)
    return library


@dataclass
class Part:
    """A process that is kept running. Its words are in `log`, and processes that must end with it in `orphans`."""

    name: str
    command: list[str]
    environment: Mapping[str, str]
    log: Path
    ready_words: str
    clock: Clock
    database: Proxy
    process: subprocess.Popen[bytes] | None = None
    starts: int = 0
    orphans: list[psutil.Process] = field(default_factory=list)
    _log_began: int = 0
    _stopping: threading.Event = field(default_factory=threading.Event)
    _keeper: threading.Thread | None = None

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    @property
    def data(self) -> Path:
        return Path(self.environment["ALLCLOSE_DATA"])

    def is_ready(self) -> bool:
        """Whether the running process has said that it is ready."""
        with self.log.open("rb") as log:
            log.seek(self._log_began)
            return self.is_running() and self.ready_words.encode() in log.read()

    def start(self) -> None:
        self.log.touch()
        self._keeper = threading.Thread(target=self._keep, name=self.name, daemon=True)
        self._keeper.start()

    def _keep(self) -> None:
        while not self._stopping.is_set():
            with self.log.open("ab") as log:
                self._log_began = log.tell()
                self.process = subprocess.Popen(
                    self.command, env=self.environment, stdout=log, stderr=log, cwd=ROOT, start_new_session=True
                )
            self.starts += 1
            self.process.wait()
            self._stopping.wait(RESTART_SECONDS)

    def send(self, number: signal.Signals) -> None:
        """Signal the process. One that has just ended gets nothing."""
        if number == signal.SIGKILL:
            self.orphans += self.descendants()
        if self.process is not None:
            self.process.send_signal(number)

    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def descendants(self) -> list[psutil.Process]:
        """The processes below it, parents first."""
        with suppress(psutil.Error):
            return psutil.Process(self.pid).children(recursive=True)
        return []

    def stop(self) -> None:
        self._stopping.set()
        self.orphans += self.descendants()
        self.send(signal.SIGCONT)
        self.send(signal.SIGINT)
        if self._keeper is not None:
            self._keeper.join(30)
        if self.is_running() and self.process is not None:
            self.process.kill()

    def text(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""


class Database:
    """The embedded PostgreSQL, kept running as `serve` does, but without its growing pauses."""

    def __init__(self, postgres: EmbeddedPostgres, clock: Clock, disk: Path) -> None:
        self.postgres, self.clock, self.disk = postgres, clock, disk
        self.starts = 1
        self._stopping = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name="postgres", daemon=True)
        self._keeper.start()

    @property
    def socket(self) -> str:
        return f"{self.postgres.server.socket_folder}/.s.PGSQL.5432"

    @property
    def pid(self) -> int:
        return self.postgres.server.pid

    def url(self, port: int | None = None) -> str:
        """The URL through a proxy's port, or that of the socket."""
        url = make_url(self.postgres.url).set(drivername="postgresql")
        if port is not None:
            url = url.set(host="127.0.0.1", port=port, query={})
        return url.render_as_string(hide_password=False)

    def processes(self) -> list[psutil.Process]:
        """The server's processes, the first one first."""
        with suppress(psutil.Error):
            server = psutil.Process(self.pid)
            return [server, *server.children(recursive=True)]
        return []

    @contextmanager
    def connect(self) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
        """A connection of the test's own, which passes no proxy."""
        with psycopg.connect(self.url(), autocommit=True, connect_timeout=5) as connection:
            yield connection

    def answers(self) -> bool:
        with suppress(psycopg.Error), self.connect() as connection:
            return connection.execute("SELECT 1").fetchone() == (1,)
        return False

    def stop(self) -> None:
        self._stopping.set()
        self.postgres.stop()
        self._keeper.join(30)

    def _keep(self) -> None:
        while not self._stopping.is_set():
            self.postgres.wait()
            if self._stopping.wait(RESTART_SECONDS):
                return
            with suppress(OSError):
                self.postgres.restart()
                self.starts += 1


@dataclass
class Deployment:
    """`address` is where clients connect. `folder` holds all that the deployment writes, `problems` the packages.

    The last worker uses `engine`, if there is one. The others open bubblewrap boxes.
    """

    folder: Path
    problems: Path
    database: Database
    webs: list[Part]
    workers: list[Part]
    entrance: Proxy
    engine: Engine | None = None
    admin_token: str = ""
    has_own_disk: bool = False

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.entrance.port}"

    @property
    def bubblewrap_workers(self) -> list[Part]:
        return self.workers if self.engine is None else self.workers[:-1]

    def client(self, token: str = "") -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=f"{self.address}/api/v1", headers=headers, timeout=20, verify=False)

    def sign_in(self, name: str, password: str) -> str:
        with self.client() as client:
            answer = client.post("/tokens", json={"username": name, "password": password})
            return str(answer.raise_for_status().json()["token"])

    def sign_up(self, name: str) -> str:
        with self.client() as client:
            account = {"username": name, "password": secrets.token_urlsafe(16)}
            client.post("/users", json=account).raise_for_status()
            return self.sign_in(**{"name": account["username"], "password": account["password"]})


@contextmanager
def deploy(folder: Path, *, webs: int = 2, workers: int = 2, engine: Engine | None = None) -> Iterator[Deployment]:
    """Start everything, and stop it at the end. With `engine`, there is one more worker, with Docker boxes."""
    with ExitStack() as stack:
        loop = Loop()
        stack.callback(loop.close)
        disk = folder / "disk"
        disk.mkdir(parents=True)
        has_own_disk = stack.enter_context(_own_disk(disk))
        database = stack.enter_context(_database(disk))

        problems = folder / "problems"
        shutil.copytree(ONE_PROBLEM, problems)

        def part(name: str, command: list[str], **settings: str) -> Part:
            proxy = Proxy(loop, [database.socket])
            clock = Clock(folder / f"{name}.clock")
            data = disk / name.partition("-")[0] if name.startswith("web") else disk / name
            (data / "temporary").mkdir(parents=True, exist_ok=True)
            own = {
                "ALLCLOSE_DATABASE_URL": database.url(proxy.port),
                "ALLCLOSE_DATA": str(data),
                "ALLCLOSE_PROBLEMS": str(problems),
                "COLUMNS": "200",
                "TMPDIR": str(data / "temporary"),
                **settings,
            }
            environment = {**os.environ, "PYTHONPATH": str(ROOT), **own, **clock.variables}
            ready = "Ctrl-C stops it" if name.startswith("web") else "Judging from"
            whole = [sys.executable, "-u", "-m", *command]
            return Part(name, whole, environment, folder / f"{name}.log", ready, clock, proxy)

        ports = [_free_port() for _ in range(webs)]
        web_parts = [
            part(f"web-{number}", ["app.cli", "serve", "--no-worker", "--port", str(port)])
            for number, port in enumerate(ports, 1)
        ]
        worker_parts = [
            part(f"worker-{number}", ["tests.faults.worker_process"], ALLCLOSE_SANDBOX="bubblewrap", ALLCLOSE_SLOTS="2")
            for number in range(1, workers + 1)
        ]
        if engine is not None:
            settings = {"ALLCLOSE_SANDBOX": "docker", "ALLCLOSE_SLOTS": "1", "DOCKER_HOST": engine.address}
            worker_parts.append(part("worker-of-docker", ["tests.faults.worker_process"], **settings))
        stack.callback(_stop_all, [*worker_parts, *web_parts])
        entrance = Proxy(loop, [("127.0.0.1", port) for port in ports])
        deployment = Deployment(
            folder, problems, database, web_parts, worker_parts, entrance, engine, has_own_disk=has_own_disk
        )
        _start(deployment)
        yield deployment


def _start(deployment: Deployment) -> None:
    """Start the first web process, which makes the schema and the admin, then the others."""
    first, *others = deployment.webs
    first.start()
    _wait_until_ready(first)
    for each in (*others, *deployment.workers):
        each.start()
    shown = ADMIN.search(first.text())
    assert shown, first.text()
    with deployment.database.connect() as connection:
        connection.execute(RECORD)
    for each in (*others, *deployment.workers):
        _wait_until_ready(each)
    deployment.admin_token = deployment.sign_in("admin", shown[1])
    with deployment.client(deployment.admin_token) as client:
        client.patch("/settings", json=POLICY).raise_for_status()


def _stop_all(parts: Sequence[Part]) -> None:
    with ThreadPoolExecutor(len(parts)) as together:
        list(together.map(Part.stop, parts))


def _wait_until_ready(part: Part) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not part.is_ready():
        assert time.monotonic() < deadline, f"{part.name} did not start: {part.text()[-3000:]}"
        time.sleep(0.05)


@contextmanager
def _database(disk: Path) -> Iterator[Database]:
    clock = Clock(disk / "postgres.clock")
    before = dict(embedded_cluster.ENVIRONMENT)
    embedded_cluster.ENVIRONMENT.update(clock.variables)
    try:
        database = Database(own(disk / "postgres", POSTGRES_OPTIONS), clock, disk)
        try:
            yield database
        finally:
            database.stop()
    finally:
        embedded_cluster.ENVIRONMENT.clear()
        embedded_cluster.ENVIRONMENT.update(before)


@contextmanager
def _own_disk(disk: Path) -> Iterator[bool]:
    """Mount a small file system in memory, if this user may. Yields whether it is there."""
    options = f"size={DISK_BYTES},mode=0755"
    mounted = (
        os.geteuid() == 0
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "allclose-faults", str(disk)], capture_output=True, check=False
        ).returncode
    )
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(disk)], check=False)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
