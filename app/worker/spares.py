"""Spares: students' processes that are made before there is a submission, for the problems that people have open.

A spare has started, has confined itself, and has made the library calls of its problem (`compilation.py`): it waits
for a source, runs it once and ends. So a student waits for their own code only. A spare costs the seconds of a core
that its submission would have cost, and is made while no submission is judged.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from app.catalog.fault import PackageInvalid
from app.catalog.model import Device, Revision
from app.catalog.package import Package
from app.database.listener import Listener
from app.queue.background_pause import BackgroundPause
from app.submissions.enqueue import OPENED
from app.worker.boxes import INSPECTOR, Pools, box_spec
from app.worker.compilation_cache import CompilationCache
from app.worker.inspection import inspector_setup
from app.worker.request import PATIENCE, PATIENT_LOAD_SECONDS, device_of, limits_of, spares_of
from app.worker.work import Works
from sandbox.interface import Aborted, BoxSpec, SandboxError, Setup
from sandbox.pool import Pool

# For a run and its repetition; a problem that asks for programs has them traced in a third.
SPARES = 2
SPARES_WITH_PROGRAMS = 3
SPARE_INSPECTORS = 2
# The problems that were opened last.
PROBLEMS = 2
# By then more library calls may be known.
REST_SECONDS = 5.0
LOOK_SECONDS = 0.2

_log = logging.getLogger(__name__)


class Spares:
    """A thread of its own. `pools`: those of the submissions. `device`: of the problems that this worker judges.

    `on_opened` is called for the current revision of each problem that somebody is at work on.
    """

    def __init__(
        self,
        works: Works,
        cache: CompilationCache,
        pools: Pools,
        quiet: BackgroundPause,
        device: Device,
        on_opened: Callable[[Revision, Package], None],
    ) -> None:
        self._works, self._cache, self._pools, self._quiet, self._device = works, cache, pools, quiet, device
        self._on_opened = on_opened
        self._wanted: OrderedDict[str, Package] = OrderedDict()
        self._opened: dict[str, None] = {}
        self._changed = threading.Condition()
        self._stop = threading.Event()
        self._listener = Listener(works.url, OPENED, self._hear)
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

    def want(self, slug: str) -> None:
        """Somebody is at work on this problem."""
        with self._changed:
            self._opened[slug] = None
            self._changed.notify_all()

    def setup_of(self, package: Package) -> Setup:
        """What its spares are made with."""
        manifest = package.manifest
        seconds = PATIENT_LOAD_SECONDS + len(manifest.cases) * PATIENCE * manifest.limits.wall_seconds
        return Setup(
            problem=spares_of(package),
            memory_bytes=limits_of(manifest).memory_bytes,
            cpu_seconds=int(seconds) + 1,
            library_calls=self._cache.calls(package),
        )

    def _hear(self, slug: str | None) -> None:
        if slug is not None:
            self.want(slug)

    def _run(self) -> None:
        """Whatever fails: without a spare, a submission gets a process that is made for it."""
        while not self._stop.is_set():
            try:
                self._step()
            except Aborted:
                continue
            except Exception:
                _log.exception("spares are not made for now")
                self._stop.wait(REST_SECONDS)

    def _step(self) -> None:
        with self._changed:
            opened, self._opened = self._opened, {}
        for slug in opened:
            try:
                self._add(slug)
            except PackageInvalid as error:
                _log.warning("no spares for %s: %s", slug, error)
        if not self._quiet.is_quiet:  # a submission has the cores first
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
        self._on_opened(*found)
        self._wanted[slug] = found[1]
        self._wanted.move_to_end(slug)
        while len(self._wanted) > PROBLEMS:
            self._wanted.popitem(last=False)

    def _find_lacking(self) -> "_Wish | None":
        """Of the problem that was opened last and has fewer spares than it should, and for whose a pool has room."""
        room = {id(pool): pool.capacity for pool in (self._pools.students, self._pools.inspectors)}
        for package in reversed(self._wanted.values()):
            for wish in self._wishes(package):
                room[id(wish.pool)] -= wish.number
                if room[id(wish.pool)] >= 0 and wish.pool.count_spares(wish.setup) < wish.number:
                    return wish
        return None

    def _wishes(self, package: Package) -> Iterator["_Wish"]:
        manifest, students, inspectors = package.manifest, self._pools.students, self._pools.inspectors
        if device_of(manifest) == "gpu":
            return
        number = SPARES_WITH_PROGRAMS if manifest.is_traced else SPARES
        yield _Wish(package, students, box_spec(manifest), self.setup_of(package), number)
        if manifest.is_traced:
            yield _Wish(package, inspectors, INSPECTOR, inspector_setup(package), SPARE_INSPECTORS)

    def _make(self, wish: "_Wish") -> None:
        package = wish.package
        try:
            made = wish.pool.make_spare(wish.spec, wish.setup, self._stop)
        except Aborted:
            raise
        except SandboxError as error:
            _log.warning("no spare for %s: %s", package.slug, error)
            made = False
        if not made:
            self._wanted.pop(package.slug, None)  # until it is opened again


@dataclass(frozen=True, slots=True)
class _Wish:
    """Spares of one kind that a problem should have."""

    package: Package
    pool: Pool
    spec: BoxSpec
    setup: Setup
    number: int
