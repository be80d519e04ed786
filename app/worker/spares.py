"""Spares: students' processes that are made before there is a submission, for the problems that people have open.

A spare has started, has confined itself, and has made the library calls of its problem (`compilation.py`): it waits
for a source, runs it once and ends. So a student waits for their own code only. A spare costs the seconds of a core
that its submission would have cost, and is made while no submission is judged.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable

from sqlalchemy import select

from app.catalog.model import IS_CURRENT, Problem, Revision
from app.catalog.package import Package
from app.database import Database
from app.listener import Listener
from app.submissions.enqueue import OPENED
from app.worker.compilation import CompilationCache
from app.worker.request import PATIENCE, PATIENT_LOAD_SECONDS, box_spec, device_of, limits_of, spares_of
from app.worker.work import Works
from sandbox.interface import Aborted, SandboxError, Setup
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
    """A thread of its own. `pool`: that of the submissions. `fill_library`: has the library calls found out, soon."""

    def __init__(
        self,
        database: Database,
        works: Works,
        cache: CompilationCache,
        pool: Pool,
        fill_library: Callable[[Revision, Package], None],
    ) -> None:
        self._database, self._works, self._cache, self._pool = database, works, cache, pool
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
            if self._wanted and self._pool.count().busy:  # a submission has the cores first
                self._stop.wait(LOOK_SECONDS)
            elif lacking := self._find_lacking():
                self._make(*lacking)
            else:
                with self._changed:
                    self._changed.wait(REST_SECONDS)

    def _find_lacking(self) -> tuple[Package, Setup] | None:
        """Of the problem that was opened last and has fewer spares than it should."""
        with self._changed:
            wanted = list(self._wanted.values())
        for package in reversed(wanted):
            setup = self.setup_of(package)
            if self._pool.count_spares(setup) < _number(package):
                return package, setup
        return None

    def _make(self, package: Package, setup: Setup) -> None:
        try:
            made = self._pool.make_spare(box_spec(package.manifest), setup, self._stop)
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


def _number(package: Package) -> int:
    if device_of(package.manifest) == "gpu":
        return 0
    return SPARES_WITH_PROGRAMS if package.manifest.is_traced else SPARES
