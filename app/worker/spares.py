"""Spares: student processes created before a submission arrives, for the problems that students have open.

A spare has started, is confined, and has made JAX's backend. It waits for a source, runs it once and ends, so the
student waits only for their own code. A spare costs the processor time that its submission would have cost, and is made
while students hold fewer than half of the slots.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass

from app.catalog.fault import PackageInvalid
from app.catalog.model import Device
from app.catalog.package import Package
from app.database.listener import Listener
from app.engine.boxes import INSPECTOR, Pools, box_spec
from app.engine.inspection import inspector_setup
from app.engine.request import PATIENCE, PATIENT_LOAD_SECONDS, device_of, limits_of, spares_of
from app.queue.background_work import BackgroundPause
from app.submissions.judging_record import JudgingClaim
from app.submissions.submit import PROBLEM_OPENED
from app.worker.middleware import Judge, JudgingResult, Middleware
from app.worker.work import Works
from sandbox.interface import Aborted, BoxSpec, SandboxError, Setup
from sandbox.pool import Pool

# One for a run and one for its repetition; a problem that needs programs traces them in a third.
SPARES = 2
SPARES_WITH_PROGRAMS = 3
SPARE_INSPECTORS = 2
# The most recently opened problems get spares.
PROBLEMS = 2
REST_SECONDS = 5.0
LOOK_SECONDS = 0.2

_log = logging.getLogger(__name__)


class Spares(Middleware):
    """Makes spares in its own thread. `pools`: the submissions' pools. `device`: of the problems that this worker
    judges.
    """

    def __init__(
        self,
        works: Works,
        pools: Pools,
        background_pause: BackgroundPause,
        device: Device,
    ) -> None:
        self._works, self._pools, self._device = works, pools, device
        self._background_pause = background_pause
        self._wanted: OrderedDict[str, Package] = OrderedDict()
        self._opened: dict[str, None] = {}
        self._changed = threading.Condition()
        self._stop = threading.Event()
        self._listener = Listener(works.url, PROBLEM_OPENED, self._hear)
        self._thread = threading.Thread(target=self._run, name="spares", daemon=True)

    def start(self) -> None:
        self._listener.start()
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        with self._changed:
            self._changed.notify_all()
        self._listener.stop()
        self._thread.join()

    def around(self, judge: Judge, claim: JudgingClaim, abort: threading.Event) -> JudgingResult:
        judged = judge(claim, abort)
        if not claim.is_background:
            self.want(judged.work.package.slug)  # most students submit again
        return judged

    def want(self, slug: str) -> None:
        """Note that a student works on this problem."""
        with self._changed:
            self._opened[slug] = None
            self._changed.notify_all()

    def setup_of(self, package: Package) -> Setup:
        manifest = package.manifest
        seconds = PATIENT_LOAD_SECONDS + len(manifest.cases) * PATIENCE * manifest.limits.wall_seconds
        return Setup(
            problem=spares_of(package),
            memory_bytes=limits_of(manifest).memory_bytes,
            cpu_seconds=int(seconds) + 1,
        )

    def _hear(self, slug: str | None) -> None:
        if slug is not None:
            self.want(slug)

    def _run(self) -> None:
        """A failure costs only time: without a spare, a submission gets a new process."""
        while not self._stop.is_set():
            try:
                self._step()
            except Aborted:
                continue
            except Exception:
                _log.exception("Spares can't be made now")
                self._stop.wait(REST_SECONDS)

    def _step(self) -> None:
        with self._changed:
            opened, self._opened = self._opened, {}
        for slug in opened:
            try:
                self._add(slug)
            except PackageInvalid as error:
                _log.warning("No spares for %s: %s", slug, error)
        if self._background_pause.is_paused:  # submissions come first
            self._stop.wait(LOOK_SECONDS)
        elif lacking := self._find_lacking():
            self._make(lacking)
        else:
            with self._changed:
                self._changed.wait_for(lambda: self._opened or self._stop.is_set(), REST_SECONDS)

    def _add(self, slug: str) -> None:
        found = self._works.current_of(slug)
        if found is None or device_of(found[1].manifest) != self._device:
            return
        self._wanted[slug] = found[1]
        self._wanted.move_to_end(slug)
        while len(self._wanted) > PROBLEMS:
            self._wanted.popitem(last=False)

    def _find_lacking(self) -> "_Demand | None":
        """Return the missing spare of the most recently opened problem whose spares fit into the pool."""
        room = {id(pool): pool.capacity for pool in (self._pools.students, self._pools.inspectors)}
        for package in reversed(self._wanted.values()):
            for demand in self._demands(package):
                room[id(demand.pool)] -= demand.number
                if room[id(demand.pool)] >= 0 and demand.pool.count_spares(demand.setup) < demand.number:
                    return demand
        return None

    def _demands(self, package: Package) -> Iterator["_Demand"]:
        manifest, students, inspectors = package.manifest, self._pools.students, self._pools.inspectors
        if device_of(manifest) == "gpu":
            return
        number = SPARES_WITH_PROGRAMS if manifest.is_traced else SPARES
        yield _Demand(package, students, box_spec(manifest), self.setup_of(package), number)
        if manifest.is_traced:
            yield _Demand(package, inspectors, INSPECTOR, inspector_setup(package), SPARE_INSPECTORS)

    def _make(self, demand: "_Demand") -> None:
        package = demand.package
        try:
            made = demand.pool.make_spare(demand.spec, demand.setup, self._stop)
        except Aborted:
            raise
        except SandboxError as error:
            _log.warning("No spare for %s: %s", package.slug, error)
            made = False
        if not made:
            self._wanted.pop(package.slug, None)  # until a student opens it again


@dataclass(frozen=True, slots=True)
class _Demand:
    """Spares of one kind that a problem should have."""

    package: Package
    pool: Pool
    spec: BoxSpec
    setup: Setup
    number: int
