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

from sqlalchemy import select

from app.catalog.model import IS_CURRENT, Problem, Revision
from app.catalog.package import Package
from app.database import Database
from app.listener import Listener
from app.submissions.enqueue import OPENED
from app.worker.boxes import Pools
from app.worker.compilation import CompilationCache
from app.worker.inspection import INSPECTOR, inspector_setup
from app.worker.request import PATIENCE, PATIENT_LOAD_SECONDS, box_spec, device_of, limits_of, spares_of
from app.worker.work import Works
from sandbox.interface import Aborted, BoxSpec, SandboxError, Setup
from sandbox.pool import Pool

# For a run and its repetition; a problem that asks for programs has them traced in a third.
SPARES = 2
SPARES_WITH_PROGRAMS = 3
# The problems that were opened last.
PROBLEMS = 2
LOOK_SECONDS = 0.2
# By then more library calls may be known.
REST_SECONDS = 5.0

_log = logging.getLogger(__name__)


class Spares:
    """A thread of its own. `pools`: those of the submissions. `fill_library`: has the library calls found out, soon."""

    def __init__(
        self,
        database: Database,
        works: Works,
        cache: CompilationCache,
        pools: Pools,
        fill_library: Callable[[Revision, Package], None],
    ) -> None:
        self._database, self._works, self._cache, self._pools = database, works, cache, pools
        self._fill_library = fill_library
        self._wanted: OrderedDict[str, Package] = OrderedDict()
        self._changed = threading.Condition()
        self._stop = threading.Event()
        self._listener = Listener(database.url, OPENED, self._hear)
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

    def want(self, revision: Revision, package: Package) -> None:
        """Somebody is at work on this problem."""
        self._fill_library(revision, package)
        with self._changed:
            self._wanted[package.slug] = package
            self._wanted.move_to_end(package.slug)
            while len(self._wanted) > PROBLEMS:
                self._wanted.popitem(last=False)
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
            has_backend="jax" in manifest.frameworks,
        )

    def _hear(self, slug: str | None) -> None:
        if slug is None:
            return
        with self._database.transaction() as session:
            revision = session.scalars(select(Revision).join(Problem, IS_CURRENT).where(Problem.slug == slug)).first()
        if revision is not None:
            self.want(revision, self._works.package(revision))

    def _run(self) -> None:
        while not self._stop.is_set():
            if self._wanted and self._pools.students.count().busy:  # a submission has the cores first
                self._stop.wait(LOOK_SECONDS)
            elif lacking := self._find_lacking():
                self._make(lacking)
            else:
                with self._changed:
                    self._changed.wait(REST_SECONDS)

    def _find_lacking(self) -> "_Wish | None":
        """Of the problem that was opened last and has fewer spares than it should."""
        with self._changed:
            wanted = list(self._wanted.values())
        for package in reversed(wanted):
            for wish in self._wishes(package):
                if wish.pool.count_spares(wish.setup) < wish.number:
                    return wish
        return None

    def _wishes(self, package: Package) -> Iterator["_Wish"]:
        manifest, students, inspectors = package.manifest, self._pools.students, self._pools.inspectors
        if device_of(manifest) == "gpu":
            return
        number = SPARES_WITH_PROGRAMS if manifest.is_traced else SPARES
        yield _Wish(package, students, box_spec(manifest), self.setup_of(package), number)
        if manifest.is_traced:
            yield _Wish(package, inspectors, INSPECTOR, inspector_setup(package), 1)

    def _make(self, wish: "_Wish") -> None:
        package = wish.package
        try:
            made = wish.pool.make_spare(wish.spec, wish.setup, self._stop)
        except Aborted:
            return
        except SandboxError as error:
            _log.warning("no spare for %s: %s", package.slug, error)
            made = False
        if not made:
            self._forget(package)

    def _forget(self, package: Package) -> None:
        """Until it is opened again."""
        with self._changed:
            self._wanted.pop(package.slug, None)


@dataclass(frozen=True, slots=True)
class _Wish:
    """Spares of one kind that a problem should have."""

    package: Package
    pool: Pool
    spec: BoxSpec
    setup: Setup
    number: int
