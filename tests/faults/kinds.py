"""The kinds of faults: what each breaks, for how long, and how it ends.

Kinds of one lane follow each other. Kinds of different lanes happen at the same time. Each function returns when its
fault has ended, and leaves recovery to the deployment.
"""

import os
import random
import resource
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import psutil
import psycopg

from app.queue.model import MAX_ATTEMPTS
from tests.faults.clients import Load, slow
from tests.faults.deployment import Clock, Deployment, Part, shifted_clock
from tests.faults.proxy import Proxy
from tests.faults.worker_process import LEASE_SECONDS
from tests.serving import SLUG

READY_SECONDS = 20
JUDGE_ERROR_SECONDS = 60
HOUR = 3600
MEMORY_LEFT_BYTES = 4 * 2**20
# So much memory tells the process of a submission that is to fail from others. The problem's limit is 128 MiB.
BALLAST_BYTES = 90 * 2**20
POISON = f"import numpy\nballast = numpy.ones({BALLAST_BYTES} // 8)\n{slow(2)}"
GARBAGE = bytes(range(256)) * 16


@dataclass
class Scene:
    """What a fault acts on."""

    deployment: Deployment
    load: Load
    chance: random.Random

    def pause(self, least: float, most: float) -> None:
        time.sleep(self.chance.uniform(least, most))


class NotNow(Exception):
    """There is nothing to break at this moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """`share`: how often it happens in a run of about 500 faults. `quick`: how often in `make test`.

    `inject` raises NotNow. `why_not` says why this machine can't inject it, or is empty.
    """

    name: str
    lane: str
    share: int
    quick: int
    inject: Callable[[Scene], None]
    why_not: Callable[[Deployment], str]


KINDS: list[Kind] = []


def kind(
    name: str, lane: str, share: int, quick: int = 0, why_not: Callable[[Deployment], str] = lambda _: ""
) -> Callable[[Callable[[Scene], None]], Callable[[Scene], None]]:
    def register(inject: Callable[[Scene], None]) -> Callable[[Scene], None]:
        KINDS.append(Kind(name=name, lane=lane, share=share, quick=quick, inject=inject, why_not=why_not))
        return inject

    return register


def lacks_compiler(_: Deployment) -> str:
    return "" if shifted_clock() else "it needs a C compiler"


def lacks_engine(deployment: Deployment) -> str:
    return "" if deployment.engine else "an engine of its own takes root, dockerd and an up-to-date image"


def lacks_disk(deployment: Deployment) -> str:
    return "" if deployment.has_own_disk else "mounting a small disk takes root"


# Workers and their boxes.


@kind("worker: SIGKILL", "workers", 14, 1)
def kill_worker(scene: Scene) -> None:
    _ready(scene).send(signal.SIGKILL)


@kind("worker: frozen, shorter than its lease", "workers", 18, 1)
def freeze_worker(scene: Scene) -> None:
    with _frozen(_ready(scene)):
        scene.pause(0.2, 0.6 * LEASE_SECONDS)


@kind("worker: claims and reports after its lease", "workers", 8, 1)
def freeze_worker_past_its_lease(scene: Scene) -> None:
    with _frozen(_holder(scene)):
        scene.pause(1.3 * LEASE_SECONDS, 2 * LEASE_SECONDS)


@kind("worker: no memory left", "workers", 5)
def starve_worker(scene: Scene) -> None:
    with _starved([_ready(scene).pid]):
        scene.pause(0.5, 3)


@kind("worker: clock jumps by an hour", "workers", 6, why_not=lacks_compiler)
def shift_worker(scene: Scene) -> None:
    _shift(scene, _ready(scene).clock)


@kind("worker: damaged files in its data folder", "workers", 3)
def damage_cache(scene: Scene) -> None:
    worker = _ready(scene)
    cache = worker.data / "compilation-cache"
    cache.mkdir(exist_ok=True)
    for file in [*(each for each in cache.rglob("*") if each.is_file()), cache / "garbage", cache / "garbage.zip"]:
        file.write_bytes(GARBAGE)
    worker.send(signal.SIGKILL)


@kind("guest: SIGKILL", "workers", 30, 1)
def kill_guest(scene: Scene) -> None:
    for process in _sample(scene, _guests(_ready(scene, scene.deployment.bubblewrap_workers)), 1):
        with suppress(psutil.Error):
            process.kill()


@kind("guest: frozen", "workers", 10)
def freeze_guest(scene: Scene) -> None:
    with _stopped(_sample(scene, _guests(_ready(scene, scene.deployment.bubblewrap_workers)), 2)):
        scene.pause(0.5, 5)


@kind("box: SIGKILL", "workers", 30, 1)
def kill_box(scene: Scene) -> None:
    for process in _sample(scene, _boxes(_ready(scene, scene.deployment.bubblewrap_workers)), 1):
        with suppress(psutil.Error):
            process.kill()


@kind("box: frozen", "workers", 10, 1)
def freeze_box(scene: Scene) -> None:
    boxes = _sample(scene, _boxes(_ready(scene, scene.deployment.bubblewrap_workers)), 2)
    with _stopped([process for box in boxes for process in (box, *_below(box))]):
        scene.pause(0.5, 5)


# Docker Engine and its boxes.


@kind("Docker box: SIGKILL", "engine", 8, why_not=lacks_engine)
def kill_docker_box(scene: Scene) -> None:
    for process in _sample(scene, _find_boxes(scene, scene.deployment.workers[-1]), 1):
        with suppress(psutil.Error):
            process.kill()


@kind("Docker Engine: SIGKILL", "engine", 4, why_not=lacks_engine)
def kill_engine(scene: Scene) -> None:
    _stop_engine(scene, signal.SIGKILL)


@kind("Docker Engine: restarted", "engine", 2, why_not=lacks_engine)
def restart_engine(scene: Scene) -> None:
    _stop_engine(scene, signal.SIGTERM)


@kind("Docker Engine: frozen", "engine", 4, why_not=lacks_engine)
def freeze_engine(scene: Scene) -> None:
    engine = scene.deployment.engine
    assert engine is not None
    engine.send(signal.SIGSTOP)
    scene.pause(0.5, 4)
    engine.send(signal.SIGCONT)


def _stop_engine(scene: Scene, number: signal.Signals) -> None:
    engine = scene.deployment.engine
    assert engine is not None
    engine.stop(number)
    scene.pause(0.5, 3)
    try:
        engine.start()
    except AssertionError:  # a killed engine may leave its containerd in a state that takes a second start
        engine.stop(signal.SIGKILL)
        engine.start()


# Web processes and their clients.


@kind("web: SIGKILL", "webs", 16, 1)
def kill_web(scene: Scene) -> None:
    _ready(scene, scene.deployment.webs).send(signal.SIGKILL)


@kind("web: frozen", "webs", 14, 1)
def freeze_web(scene: Scene) -> None:
    with _frozen(_ready(scene, scene.deployment.webs)):
        scene.pause(0.5, 4)


@kind("web: no memory left", "webs", 8)
def starve_web(scene: Scene) -> None:
    with _starved([_ready(scene, scene.deployment.webs).pid]):
        scene.pause(0.5, 3)


@kind("web: clock jumps by an hour", "webs", 4, why_not=lacks_compiler)
def shift_web(scene: Scene) -> None:
    _shift(scene, _ready(scene, scene.deployment.webs).clock)


@kind("web: damaged package at its start", "webs", 3)
def damage_package(scene: Scene) -> None:
    manifest = scene.deployment.problems / SLUG / "problem.yaml"
    whole = manifest.read_bytes()
    web = _ready(scene, scene.deployment.webs)
    manifest.write_bytes(whole[: len(whole) // 2] + GARBAGE)
    try:
        starts = web.starts
        web.send(signal.SIGKILL)
        _wait(lambda: web.starts > starts and web.is_ready(), READY_SECONDS)
    finally:
        manifest.write_bytes(whole)


@kind("client–web: connections dropped", "webs", 50, 2)
def drop_clients(scene: Scene) -> None:
    scene.deployment.entrance.drop(scene.chance.uniform(0, 1), scene.chance)


@kind("client–web: connections stalled", "webs", 12, 1)
def stall_clients(scene: Scene) -> None:
    _stall(scene, scene.deployment.entrance)


# Connections to PostgreSQL.


@kind("web–PostgreSQL: connections dropped", "network", 50, 2)
def drop_web_database(scene: Scene) -> None:
    scene.chance.choice(scene.deployment.webs).database.drop(scene.chance.uniform(0, 1), scene.chance)


@kind("web–PostgreSQL: connections stalled", "network", 16, 1)
def stall_web_database(scene: Scene) -> None:
    _stall(scene, scene.chance.choice(scene.deployment.webs).database)


@kind("worker–PostgreSQL: connections dropped", "network", 55, 2)
def drop_worker_database(scene: Scene) -> None:
    scene.chance.choice(scene.deployment.workers).database.drop(scene.chance.uniform(0, 1), scene.chance)


@kind("worker–PostgreSQL: connections stalled", "network", 20, 1)
def stall_worker_database(scene: Scene) -> None:
    _stall(scene, scene.chance.choice(scene.deployment.workers).database)


# PostgreSQL.


@kind("PostgreSQL: SIGKILL", "database", 10, 1)
def kill_postgres(scene: Scene) -> None:
    os.kill(scene.deployment.database.pid, signal.SIGKILL)
    _wait_for_database(scene)


@kind("PostgreSQL: SIGKILL of one connection's process", "database", 8, 1)
def kill_backend(scene: Scene) -> None:
    with suppress(psycopg.Error), scene.deployment.database.connect() as connection:
        is_killed = False
        while not is_killed:
            pids = connection.execute("SELECT pid FROM pg_stat_activity WHERE usename = current_user").fetchall()
            with suppress(ProcessLookupError):  # its connection has just ended
                os.kill(int(str(scene.chance.choice(pids)[0])), signal.SIGKILL)
                is_killed = True
    _wait_for_database(scene)


@kind("PostgreSQL: restarted", "database", 4)
def restart_postgres(scene: Scene) -> None:
    os.kill(scene.deployment.database.pid, signal.SIGINT)
    _wait_for_database(scene)


@kind("PostgreSQL: frozen", "database", 10, 1)
def freeze_postgres(scene: Scene) -> None:
    with _stopped(scene.deployment.database.processes()):
        scene.pause(0.5, 4)


@kind("PostgreSQL: ends connections", "database", 34, 1)
def end_connections(scene: Scene) -> None:
    with suppress(psycopg.Error), scene.deployment.database.connect() as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = current_user "
            "AND pid <> pg_backend_pid() AND random() < %s",
            [scene.chance.uniform(0, 1)],
        )


@kind("PostgreSQL: no connection left", "database", 10, 1)
def fill_connections(scene: Scene) -> None:
    held: list[psycopg.Connection[tuple[object, ...]]] = []
    try:
        with suppress(psycopg.Error):
            while len(held) < 200:
                held.append(psycopg.connect(scene.deployment.database.url(), connect_timeout=5))
        scene.pause(0.5, 3)
    finally:
        for connection in held:
            connection.close()


@kind("web, worker: every pooled connection waits for a lock", "database", 8, 1)
def lock_tables(scene: Scene) -> None:
    with suppress(psycopg.Error), scene.deployment.database.connect() as connection, connection.transaction():
        connection.execute("LOCK TABLE submissions, judgings, tokens IN ACCESS EXCLUSIVE MODE")
        scene.pause(0.5, 5)


@kind("PostgreSQL: no memory left", "database", 6)
def starve_postgres(scene: Scene) -> None:
    with _starved([process.pid for process in scene.deployment.database.processes()[1:]]):
        scene.pause(0.5, 3)
    _wait_for_database(scene)


@kind("PostgreSQL: clock jumps by an hour", "database", 8, why_not=lacks_compiler)
def shift_postgres(scene: Scene) -> None:
    _shift(scene, scene.deployment.database.clock)


@kind("PostgreSQL, web, worker: disk full", "database", 5, 1, why_not=lacks_disk)
def fill_disk(scene: Scene) -> None:
    disk = scene.deployment.database.disk
    ballast = disk / "ballast"
    try:
        with ballast.open("wb") as file:
            until = time.monotonic() + scene.chance.uniform(1, 4)
            while time.monotonic() < until:
                space = os.statvfs(disk)
                with suppress(OSError):
                    os.posix_fallocate(file.fileno(), file.tell(), max(space.f_bavail * space.f_bsize, 1))
                    file.seek(0, os.SEEK_END)
                time.sleep(0.02)
    finally:
        ballast.unlink()
    _wait_for_database(scene)


# Submissions and readers that do harm.


@kind("a submission whose worker dies every time", "submissions", 3)
def poison_worker(scene: Scene) -> None:
    dead = set[int]()

    def kill(worker: Part) -> bool:
        if worker.pid not in dead:
            worker.send(signal.SIGKILL)
            dead.add(worker.pid)
        return True

    _poison(scene, kill)


@kind("a submission whose box dies every time", "submissions", 3)
def poison_box(scene: Scene) -> None:
    def kill(worker: Part) -> bool:
        """Kill the boxes that hold the ballast. One may be of an earlier attempt of a worker that was frozen."""
        has_killed = False
        for box in _find_boxes(scene, worker):
            with suppress(psutil.Error):
                if any(process.memory_info().rss > BALLAST_BYTES for process in _below(box)):
                    box.kill()
                    has_killed = True
        return has_killed

    _poison(scene, kill)


@kind("readers of events that do not read", "readers", 20, 1)
def read_slowly(scene: Scene) -> None:
    student, log = scene.load.other, scene.load.log
    entry = log.add("accepted", "slowly read", has_key=True)
    student.send(entry, slow(0.2))
    if entry.id is None:
        return
    lazy = []
    for _ in range(10):
        with suppress(OSError):
            lazy.append(_open_unread(scene, entry.id))
    scene.pause(1, 3)
    for each in lazy:
        each.close()
    student.follow(entry)


def _poison(scene: Scene, kill: Callable[[Part], bool]) -> None:
    """Kill what judges the submission, in each attempt."""
    student, log = scene.load.other, scene.load.log
    entry = log.add("judge_error", "poison", has_key=True)
    student.send(entry, POISON)
    following = threading.Thread(target=student.follow, args=[entry], daemon=True)
    following.start()
    killed = set[int]()
    deadline = time.monotonic() + JUDGE_ERROR_SECONDS
    while following.is_alive() and time.monotonic() < deadline:
        time.sleep(0.1)
        attempt, worker = _find_attempt(scene, entry.id)
        if worker is not None and kill(worker):
            killed.add(attempt)
    if len(killed) < MAX_ATTEMPTS:  # another fault kept this one from meeting an attempt
        entry.also = "accepted"
    following.join(JUDGE_ERROR_SECONDS)


def _find_attempt(scene: Scene, submission: str | None) -> tuple[int, Part | None]:
    query = "SELECT attempt, worker FROM jobs WHERE watched = %s AND lease_until IS NOT NULL"
    with suppress(psycopg.Error), scene.deployment.database.connect() as connection:
        row = connection.execute(query, [submission]).fetchone()
        if row is not None:
            return int(str(row[0])), _named(scene, str(row[1]))
    return 0, None


def _open_unread(scene: Scene, submission: str) -> socket.socket:
    reader = socket.socket()
    reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    reader.settimeout(5)
    reader.connect(("127.0.0.1", scene.deployment.entrance.port))
    request = f"GET /api/v1/submissions/{submission}/events HTTP/1.1\r\nHost: localhost\r\n"
    reader.sendall(f"{request}Authorization: Bearer {scene.load.other.token}\r\n\r\n".encode())
    return reader


# What the kinds are made of.


def _named(scene: Scene, name: str) -> Part | None:
    """Return the worker that calls itself by this name in the database."""
    pid = int(name.rpartition(":")[2])
    return next((worker for worker in scene.deployment.workers if worker.pid == pid), None)


def _ready(scene: Scene, parts: Sequence[Part] = ()) -> Part:
    """Return one of these, or of all workers, that has started. Raises NotNow."""
    ready = [part for part in parts or scene.deployment.workers if part.is_ready()]
    if not ready:
        raise NotNow
    return scene.chance.choice(ready)


def _holder(scene: Scene) -> Part:
    """Return a worker that judges just now. Raises NotNow."""
    query = "SELECT worker FROM jobs WHERE lease_until IS NOT NULL ORDER BY random() LIMIT 1"
    with suppress(psycopg.Error), scene.deployment.database.connect() as connection:
        row = connection.execute(query).fetchone()
        if row is not None and (worker := _named(scene, str(row[0]))) is not None:
            return worker
    raise NotNow


def _sample(scene: Scene, processes: Sequence[psutil.Process], most: int) -> list[psutil.Process]:
    """Raises NotNow without any."""
    if not processes:
        raise NotNow
    return scene.chance.sample(list(processes), min(most, len(processes)))


def _boxes(worker: Part) -> list[psutil.Process]:
    return [process for process in worker.descendants() if _name(process) == "bwrap"]


def _find_boxes(scene: Scene, worker: Part) -> list[psutil.Process]:
    """The first processes of this worker's boxes, of either kind."""
    engine = scene.deployment.engine
    if engine is None or worker is not scene.deployment.workers[-1]:
        return _boxes(worker)
    found = []
    for pid in engine.boxes().values():
        with suppress(psutil.Error):
            found.append(psutil.Process(pid))
    return found


def _guests(worker: Part) -> list[psutil.Process]:
    """The zygotes and monitors, but no student's process."""
    zygotes = [each for box in _boxes(worker) for each in _below(box, recursive=False)]
    return [*zygotes, *(each for zygote in zygotes for each in _below(zygote, recursive=False))]


def _below(process: psutil.Process, *, recursive: bool = True) -> list[psutil.Process]:
    with suppress(psutil.Error):
        return process.children(recursive=recursive)
    return []


def _name(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        return process.name()
    return ""


@contextmanager
def _frozen(part: Part) -> Iterator[None]:
    process = part.process
    part.send(signal.SIGSTOP)
    try:
        yield
    finally:
        if process is not None:
            process.send_signal(signal.SIGCONT)


@contextmanager
def _stopped(processes: Sequence[psutil.Process]) -> Iterator[None]:
    for each in processes:
        with suppress(psutil.Error):
            each.suspend()
    try:
        yield
    finally:
        for each in processes:
            with suppress(psutil.Error):
                each.resume()


@contextmanager
def _starved(pids: Sequence[int]) -> Iterator[None]:
    """Let no process grow. What it starts meanwhile inherits the limit."""
    before: dict[int, tuple[int, int]] = {}
    for pid in pids:
        with suppress(OSError, psutil.Error):
            size = psutil.Process(pid).memory_info().vms + MEMORY_LEFT_BYTES
            hard = resource.prlimit(pid, resource.RLIMIT_AS)[1]
            before[pid] = resource.prlimit(pid, resource.RLIMIT_AS, (size, hard))
    try:
        yield
    finally:
        for pid, limits in before.items():
            with suppress(OSError):
                resource.prlimit(pid, resource.RLIMIT_AS, limits)


def _shift(scene: Scene, clock: Clock) -> None:
    """The clock jumps and, seconds later, jumps back."""
    clock.shift(scene.chance.choice([-HOUR, HOUR]))
    scene.pause(0.5, 4)
    clock.shift(0)


def _stall(scene: Scene, proxy: Proxy) -> None:
    proxy.stall()
    scene.pause(0.5, 4)
    proxy.flow()


def _wait(is_so: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if is_so():
            return True
        time.sleep(0.05)
    return False


def _wait_for_database(scene: Scene) -> None:
    _wait(scene.deployment.database.answers, READY_SECONDS)
