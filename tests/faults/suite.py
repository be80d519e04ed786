"""One run: a deployment, students who submit, faults at random moments from a seed, and the check at the end."""

import math
import os
import random
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from sandbox.docker.launcher import DockerOptions, open_docker
from sandbox.interface import SandboxUnavailable
from tests.engine import Engine, own_engine
from tests.faults.clients import Load, Log, Sent
from tests.faults.deployment import Deployment, deploy
from tests.faults.invariants import Broken, check
from tests.faults.kinds import KINDS, Kind, NotNow, Scene

DRAIN_SECONDS = 120
LEAVING_SECONDS = 20
OPPORTUNITY_SECONDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Injected:
    kind: Kind
    began: float
    ended: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A line of the table. `recovery_seconds`: until all submissions that a fault met had their verdicts."""

    name: str
    times: int
    lost: int
    doubled: int
    wrong: int
    given_up: int
    recovery_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    rows: Sequence[Row]
    broken: Broken
    skipped: Mapping[str, str]
    facts: Mapping[str, int]
    seconds: float

    @property
    def faults(self) -> int:
        return sum(row.times for row in self.rows)


def run(
    folder: Path, counts: Mapping[str, int], *, seed: int, seconds: float, students: int, is_whole: bool = True
) -> Report:
    """Inject each kind as often as `counts` says, within `seconds` or soon after, and check what is left.

    The whole run has a worker with Docker boxes where it can start an engine, and submissions that never end.
    """
    began = time.monotonic()
    errors: list[str] = []
    with _engine_if_possible(is_wanted=is_whole) as engine:
        with deploy(folder, engine=engine) as deployment:
            log = Log(folder / "clients.jsonl")
            load = Load(deployment, log, seed, students, with_endless=is_whole)
            scene = Scene(deployment, load, random.Random(seed))
            wanted = [kind for kind in KINDS if counts.get(kind.name)]
            kinds = [kind for kind in wanted if not kind.why_not(deployment)]
            facts = {"seconds to start": round(time.monotonic() - began)}
            load.start()
            injected = _inject_all(scene, kinds, counts, seed, seconds, errors)
            drained_from = time.monotonic()
            load.drain(DRAIN_SECONDS)
            facts["seconds to drain"] = round(time.monotonic() - drained_from)
            broken = check(deployment, log)
            facts |= _count(deployment, log.snapshot())
        broken.left += errors + _find_leftovers(deployment)
    return Report(
        rows=_tabulate(kinds, injected, log.snapshot(), broken),
        broken=broken,
        skipped={kind.name: kind.why_not(deployment) for kind in wanted if kind not in kinds},
        facts=facts,
        seconds=time.monotonic() - began,
    )


@contextmanager
def _engine_if_possible(*, is_wanted: bool) -> Iterator[Engine | None]:
    if not is_wanted:
        yield None
        return
    options = DockerOptions(cpu_image=os.environ.get("ALLCLOSE_IMAGE_CPU", DockerOptions().cpu_image))
    with ExitStack() as stack:
        engine = None
        with suppress(SandboxUnavailable, pytest.skip.Exception):
            open_docker(options, isolation="any")
            # The path of an engine's socket has at most 108 bytes, and pytest's folders have long names.
            place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="engine-", ignore_cleanup_errors=True)))
            engine = stack.enter_context(own_engine(place, options.cpu_image))
        yield engine


def share_out(faults: int) -> dict[str, int]:
    """Return how often each kind happens in a run of about this many faults: each at least once."""
    whole = sum(kind.share for kind in KINDS)
    return {kind.name: max(1, math.ceil(kind.share * faults / whole)) for kind in KINDS}


def _inject_all(
    scene: Scene, kinds: Sequence[Kind], counts: Mapping[str, int], seed: int, seconds: float, errors: list[str]
) -> list[Injected]:
    injected: list[Injected] = []
    lanes = sorted({kind.lane for kind in kinds})
    threads = [
        threading.Thread(target=_inject_lane, args=(scene, lane, kinds, counts, seed, seconds, injected, errors))
        for lane in lanes
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return injected


def _inject_lane(
    scene: Scene,
    lane: str,
    kinds: Sequence[Kind],
    counts: Mapping[str, int],
    seed: int,
    seconds: float,
    injected: list[Injected],
    errors: list[str],
) -> None:
    chance = random.Random(f"{seed} {lane}")
    scene = Scene(scene.deployment, scene.load, chance)
    order = [kind for kind in kinds if kind.lane == lane for _ in range(counts[kind.name])]
    chance.shuffle(order)
    began = time.monotonic()
    for kind, moment in zip(order, sorted(chance.uniform(0, seconds) for _ in order), strict=True):
        time.sleep(max(0.0, began + moment - time.monotonic()))
        try:
            at = _inject(scene, kind)
        except Exception as error:
            errors.append(f"the fault {kind.name!r} could not be injected: {error!r}")
        else:
            injected.append(Injected(kind=kind, began=at, ended=time.monotonic()))


def _inject(scene: Scene, kind: Kind) -> float:
    """Inject the fault as soon as there is something to break. Return when it began."""
    deadline = time.monotonic() + OPPORTUNITY_SECONDS
    while True:
        at = time.monotonic()
        try:
            kind.inject(scene)
        except NotNow:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return at


def _tabulate(
    kinds: Sequence[Kind], injected: Sequence[Injected], entries: Sequence[Sent], broken: Broken
) -> list[Row]:
    """A submission that broke counts for every kind that met it."""
    rows = []
    for kind in kinds:
        faults = [each for each in injected if each.kind is kind]
        met = {entry.number for entry in entries if any(_meets(fault, entry) for fault in faults)}
        rows.append(
            Row(
                name=kind.name,
                times=len(faults),
                lost=len(met & broken.lost.keys()),
                doubled=len(met & broken.doubled.keys()),
                wrong=len(met & broken.wrong.keys()),
                given_up=len(met & broken.given_up.keys()),
                recovery_seconds=max((_recovery_seconds(fault, entries) for fault in faults), default=0),
            )
        )
    return rows


def _meets(fault: Injected, entry: Sent) -> bool:
    return entry.sent_at < fault.ended and (entry.done_at is None or entry.done_at > fault.began)


def _recovery_seconds(fault: Injected, entries: Sequence[Sent]) -> float:
    """From the fault's begin until each quick submission of that moment had its verdict."""
    return max(
        (
            entry.done_at - fault.began
            for entry in entries
            if entry.kind == "quick" and entry.done_at is not None and entry.sent_at < fault.began < entry.done_at
        ),
        default=0.0,
    )


def _count(deployment: Deployment, entries: Sequence[Sent]) -> dict[str, int]:
    statuses = Counter(status for entry in entries for status in entry.statuses)
    with deployment.database.connect() as connection:
        again = connection.execute("SELECT count(*) FROM judgings WHERE attempt > 1").fetchone()
    assert again
    return {
        "submissions": sum(entry.id is not None for entry in entries),
        "requests without an answer to a client without a key": sum(entry.id is None for entry in entries),
        "judgings that ran more than once": int(str(again[0])),
        "events": sum(len(entry.event_ids) + (entry.done is not None) for entry in entries),
        "event streams opened again": sum(max(0, entry.connections - 1) for entry in entries),
        "starts of web processes": sum(part.starts for part in deployment.webs),
        "starts of workers": sum(part.starts for part in deployment.workers),
        "starts of PostgreSQL": deployment.database.starts,
        **{f"answers with status {status}": number for status, number in sorted(statuses.items())},
    }


def _find_leftovers(deployment: Deployment) -> list[str]:
    """List boxes and processes that are left. They end moments after their worker."""
    deadline = time.monotonic() + LEAVING_SECONDS
    while (left := _list_left(deployment)) and time.monotonic() < deadline:
        time.sleep(0.2)
    return [f"{each} is left" for each in left]


def _list_left(deployment: Deployment) -> list[str]:
    parts = [*deployment.webs, *deployment.workers]
    containers = deployment.engine.boxes() if deployment.engine else {}
    return [
        *(f"process {each.pid} of {part.name}" for part in parts for each in part.orphans if _is_running(each)),
        *(f"container {each}" for each in containers),
    ]


def _is_running(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False
