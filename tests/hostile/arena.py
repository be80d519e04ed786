"""An arena of hostile and honest submissions: one pool of boxes, and a problem for each kind of box."""

import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from app.catalog.package import Package, load_package
from app.engine.boxes import INSPECTOR, box_spec
from app.engine.job import Job
from app.engine.judge import judge
from app.engine.prepare import Draw, PreparedCase, prepare
from app.judging.verdicts import Finish
from sandbox.docker.launcher import DockerLauncher
from sandbox.guest_box import GuestBox
from sandbox.interface import Box, BoxSpec, FrameworkMissing, Launcher
from sandbox.pool import Pool
from tests.hostile.traces import Traces, traces_of

# A box's first process, and what there is to be seen of it.
Seen: TypeAlias = tuple[int, Traces]

PROBLEMS = Path(__file__).parent / "problems"


class Remembering(Launcher):
    """Launches as another does, and knows which boxes are open: the pool does not say."""

    def __init__(self, launcher: Launcher) -> None:
        self.name = launcher.name
        self.engine = launcher.engine if isinstance(launcher, DockerLauncher) else None
        self._launcher = launcher
        self._launched: list[tuple[BoxSpec, GuestBox]] = []

    def launch(self, spec: BoxSpec) -> Box:
        box = self._launcher.launch(spec)
        assert isinstance(box, GuestBox)
        self._launched.append((spec, box))
        return box

    def open_boxes(self, spec: BoxSpec) -> list[GuestBox]:
        return [box for known, box in self._launched if known == spec and box.is_usable()]


@dataclass(frozen=True)
class Arena:
    """A problem, its cases, and the pools that all problems share."""

    package: Package
    cases: tuple[PreparedCase, ...]
    pool: Pool
    inspectors: Pool
    launcher: Remembering

    @property
    def canary(self) -> str:
        return next(known.source for known in self.package.submissions if known.name == "canary")

    @property
    def spec(self) -> BoxSpec:
        return box_spec(self.package.manifest)

    def judge(self, source: str, seconds: float | None = None) -> Finish:
        """`seconds`: another time limit than the problem's."""
        package = self.package if seconds is None else _in_haste(self.package, seconds)
        job = Job(package=package, source=source, cases=self.cases, inspectors=self.inspectors)
        return judge(job, self.pool, lambda _: None, threading.Event())

    def time(self, source: str) -> tuple[Finish, float]:
        """The seconds do not count the start of a box."""
        self.settle()
        started = time.monotonic()
        judged = self.judge(source)
        return judged, time.monotonic() - started

    def moved_to(self, pool: Pool) -> "Arena":
        return replace(self, pool=pool)

    def settle(self) -> GuestBox:
        """The box that the next submission will come into. Others, which replaced one that ended slowly, are closed."""
        with self.pool.lease(self.spec, threading.Event()):
            box, *others = self.launcher.open_boxes(self.spec)
        for other in others:
            other.close()
        return box

    def look(self) -> Seen:
        box = self.settle()
        return box.vessel.pid, traces_of(box.vessel.pid, self.launcher.engine)


@contextmanager
def open_arenas(launcher: Launcher, names: tuple[str, ...]) -> Iterator[dict[str, Arena]]:
    remembering = Remembering(launcher)
    with (
        closing(Pool(remembering, capacity=len(names), max_runs=1000)) as pool,
        closing(Pool(launcher, capacity=1, max_runs=1000)) as inspectors,
    ):
        with inspectors.lease(INSPECTOR, threading.Event()):
            pass  # it is open from now on, and no trace of a submission
        yield {name: arena for name in names if (arena := find_arena(name, (pool, inspectors), remembering))}


def find_arena(name: str, pools: tuple[Pool, Pool], launcher: Remembering) -> Arena | None:
    """Return None if the machine lacks the problem's framework."""
    try:
        return open_arena(name, pools, launcher)
    except FrameworkMissing:
        return None


def open_arena(name: str, pools: tuple[Pool, Pool], launcher: Remembering) -> Arena:
    """`pools`: of the boxes for submissions, and for what they export."""
    pool, inspectors = pools
    package = load_package(PROBLEMS / name)
    prepared = prepare(package, Draw(b"a fixed secret", 0), pool, threading.Event())
    return Arena(package, prepared.cases, pool, inspectors, launcher)


def _in_haste(package: Package, seconds: float) -> Package:
    manifest = package.manifest
    limits = manifest.limits.model_copy(update={"wall_seconds": seconds})
    return replace(package, manifest=manifest.model_copy(update={"limits": limits}))
