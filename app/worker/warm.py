"""Prepare what students need before they submit: boxes, expected outputs, and the answers of known mistakes.

Three threads do it. When a student opens a problem, one starts boxes, and computes the outputs of a variant and the
library's programs. Another computes what known mistakes answer there. The third works at low priority while students
leave room: it prepares the other variants of opened problems, then one variant of every other problem. A judging never
waits in a queue behind them: it computes itself what is missing.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from itertools import count
from queue import PriorityQueue
from uuid import UUID

from app.catalog.fault import PackageInvalid
from app.catalog.model import Revision
from app.catalog.package import Package
from app.catalog.publish import PUBLISHED
from app.database.engine import retry
from app.database.listener import Listener
from app.engine.boxes import INSPECTOR, Pools, box_spec
from app.engine.compilation_cache import CompilationCache
from app.engine.prepare import ReferenceFailed
from app.engine.request import device_of
from app.queue.background_work import BackgroundPause, lower_priority
from app.submissions.submit import PROBLEM_OPENED
from app.worker.expected import ExpectedOutputs
from app.worker.hint_recorder import KnownMistakes
from app.worker.work import Works
from sandbox.interface import Aborted, BoxSpec, FrameworkMissing, SandboxAway, SandboxError

# Wait this long when no box can be opened.
AWAY_SECONDS = 30.0
PREPARED = "%d problems are prepared"
RECOGNISED = "The known mistakes of %s can be recognised"
COMPILED = "The library programs of %s are compiled"

_log = logging.getLogger(__name__)


Step = Callable[[], None]


class Urgency(IntEnum):
    """The order of steps."""

    FIRST = 0
    OPENED = 1
    LIBRARY = 2
    OTHERS = 3


class _Steps:
    """The steps of a thread. Those of one urgency and kind of box run in the order in which they arrived."""

    def __init__(self) -> None:
        self._waiting: PriorityQueue[tuple[Urgency, Sequence[str], int, Step]] = PriorityQueue()
        self._number = count()

    def put(self, step: Step, urgency: Urgency = Urgency.FIRST, frameworks: Sequence[str] = ()) -> None:
        """`frameworks`: of the box that the step needs. Steps that need the same box follow one another."""
        self._waiting.put((urgency, frameworks, next(self._number), step))

    def take(self) -> Step:
        """Return the next step. Waits for one."""
        return self._waiting.get()[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparation:
    """Where the packages' own code runs. All three use the same boxes."""

    expected: ExpectedOutputs
    known: KnownMistakes
    cache: CompilationCache


class Warmer:
    """Prepares in threads of its own. Judgings redo what fails here.

    `at_once` is shared with judgings, so that a judging waits for a computation that has begun. `idle` has low-priority
    boxes, for which no judging may wait.
    """

    def __init__(
        self,
        works: Works,
        at_once: Preparation,
        idle: Preparation,
        pools: Pools,
        background_pause: BackgroundPause,
    ) -> None:
        self._works = works
        self._device = at_once.expected.device
        self._at_once, self._idle = at_once, idle
        self._pools = pools
        self._background_pause = background_pause
        self._seen: set[UUID] = set()
        self._opened: set[UUID] = set()
        self._planned: set[UUID] = set()  # those whose other variants are queued
        self._heard: set[str] = set()
        self._starts: dict[BoxSpec, bool] = {}  # whether boxes of this kind start
        self._outputs, self._mistakes, self._later = _Steps(), _Steps(), _Steps()
        self._stop = threading.Event()
        self._listeners = (
            Listener(works.url, PUBLISHED, lambda _: self._outputs.put(self._look)),
            Listener(works.url, PROBLEM_OPENED, self._hear),
        )
        self._threads = (
            threading.Thread(target=self._run, args=(self._outputs,), name="outputs", daemon=True),
            threading.Thread(target=self._run, args=(self._mistakes,), name="mistakes", daemon=True),
            threading.Thread(target=self._run_when_idle, name="warmer", daemon=True),
        )

    def start(self) -> None:
        self._outputs.put(self._begin)
        for part in (*self._threads, *self._listeners):
            part.start()

    def stop(self) -> None:
        self._stop.set()
        for steps in (self._outputs, self._mistakes, self._later):
            steps.put(lambda: None)  # wakes the thread
        for listener in self._listeners:
            listener.stop()
        for thread in self._threads:
            thread.join()

    def open(self, revision: Revision, package: Package) -> None:
        """Prepare a revision that students have open, once: one variant at once, the others when there is room."""
        if revision.id in self._opened:
            return
        self._opened.add(revision.id)
        self._outputs.put(partial(self._prepare_outputs, self._at_once, revision, package, 0))
        self._outputs.put(partial(self._fill_library, revision, package), Urgency.LIBRARY)
        self._mistakes.put(partial(self._prepare_mistakes, self._at_once, revision, package, 0))
        if revision.id not in self._planned:
            self._planned.add(revision.id)
            self._plan_others(revision, package)

    def _plan_others(self, revision: Revision, package: Package) -> None:
        """Queue a revision's other variants and library programs, for when the machine is idle."""
        frameworks = box_spec(package.manifest).frameworks
        for variant in range(1, package.manifest.variants):
            for prepare in (self._prepare_outputs, self._prepare_mistakes):
                self._later.put(partial(prepare, self._idle, revision, package, variant), Urgency.OPENED, frameworks)
        self._later.put(partial(self._fill_library_more, revision, package), Urgency.LIBRARY, frameworks)

    def _hear(self, revision_id: str | None) -> None:
        if revision_id is not None and revision_id not in self._heard:
            self._heard.add(revision_id)
            self._outputs.put(partial(self._open_problem, revision_id))

    def _open_problem(self, revision_id: str) -> None:
        self._heard.discard(revision_id)

        def find() -> None:
            revision, package = retry(lambda: self._works.revision(UUID(revision_id)), self._stop)
            if device_of(package.manifest) == self._device:
                self._warm_two(package)
                self.open(revision, package)

        self._attempt(f"revision {revision_id}", find)

    def _warm_two(self, package: Package) -> None:
        """Start boxes for two processes of a submission."""
        self._pools.students.warm(box_spec(package.manifest), 2)
        if package.manifest.is_traced:
            self._pools.inspectors.warm(INSPECTOR, 2)

    def _run(self, steps: _Steps) -> None:
        while not self._stop.is_set():
            steps.take()()

    def _run_when_idle(self) -> None:
        lower_priority()
        with suppress(Aborted):
            while not self._stop.is_set():
                step = self._later.take()
                self._background_pause.wait(self._stop)
                step()

    def _begin(self) -> None:
        self._later.put(partial(self._plan, self._list_new()))

    def _look(self) -> None:
        """Open what was published while this worker runs: its author or a student looks at it next."""
        for revision, package in self._list_new():
            self.open(revision, package)

    def _plan(self, current: list[tuple[Revision, Package]]) -> None:
        """Queue the problems, one kind of box after the other, since boxes start slowly.

        The kind of the most popular problem comes first. Within a kind, the most popular problem comes first.
        """
        kinds = list(dict.fromkeys(box_spec(package.manifest) for _, package in current))
        for revision, package in sorted(current, key=lambda pair: kinds.index(box_spec(pair[1].manifest))):
            self._later.put(partial(self._prepare_other, revision, package), Urgency.OTHERS)
        self._later.put(partial(self._report, current), Urgency.OTHERS)

    def _prepare_other(self, revision: Revision, package: Package) -> None:
        """Prepare a problem that no student has opened, unless boxes of its kind do not start."""
        spec = box_spec(package.manifest)
        if spec not in self._starts:
            self._starts[spec] = self._attempt(f"a box with {', '.join(spec.frameworks)}", partial(self._start, spec))
        if self._starts[spec]:
            self._prepare_outputs(self._idle, revision, package, 0)

    def _report(self, current: list[tuple[Revision, Package]]) -> None:
        _log.info(PREPARED, sum(self._starts[box_spec(package.manifest)] for _, package in current))

    def _start(self, spec: BoxSpec) -> None:
        with self._idle.expected.references.lease(spec, self._stop):
            pass

    def _list_new(self) -> list[tuple[Revision, Package]]:
        """Return current revisions not listed before, the most popular first."""
        revisions: list[Revision] = []
        self._attempt("the list of problems", lambda: revisions.extend(retry(self._works.current, self._stop)))
        pairs: list[tuple[Revision, Package]] = []
        for revision in revisions:
            if revision.id not in self._seen:
                self._attempt(f"revision {revision.id}", partial(self._add, pairs, revision))
        self._seen.update(revision.id for revision in revisions)
        return pairs

    def _add(self, pairs: list[tuple[Revision, Package]], revision: Revision) -> None:
        """Revisions of another queue are prepared by that queue's workers."""
        package = retry(lambda: self._works.package(revision), self._stop)
        if device_of(package.manifest) == self._device:
            pairs.append((revision, package))

    def _prepare_outputs(self, where: Preparation, revision: Revision, package: Package, variant: int) -> None:
        compute = partial(where.expected.get, revision, package, variant, self._stop)
        if not self._attempt(f"{package.slug}, variant {variant},", compute):
            self._opened.discard(revision.id)  # to try again when a student opens it again

    def _prepare_mistakes(self, where: Preparation, revision: Revision, package: Package, variant: int) -> None:
        compute = partial(where.known.get, revision, package, variant, self._stop)
        done = self._attempt(f"what known mistakes of {package.slug}, variant {variant}, answer", compute)
        if done and variant == 0:
            _log.info(RECOGNISED, package.slug)

    def _fill_library(self, revision: Revision, package: Package) -> None:
        def fill() -> None:
            cases = self._at_once.expected.get(revision, package, 0, self._stop)
            self._at_once.cache.fill(package, cases, self._stop)

        self._attempt(f"the library's programs of {package.slug}", fill)

    def _fill_library_more(self, revision: Revision, package: Package) -> None:
        def fill() -> None:
            cases = self._idle.expected.get(revision, package, 0, self._stop)
            self._idle.cache.fill_more(package, cases, self._stop)
            _log.info(COMPILED, package.slug)

        self._attempt(f"more of the library's programs of {package.slug}", fill)

    def _attempt(self, what: str, step: Callable[[], object]) -> bool:
        """Run a step, and return whether it succeeded. A judging that needs it fails too, and stores why."""
        while not self._stop.is_set():
            try:
                step()
                return True
            except SandboxAway:
                self._stop.wait(AWAY_SECONDS)
                continue
            except Aborted:
                pass
            except FrameworkMissing as error:
                _log.warning("Problems that need a framework are left out: %s", error)
            except (PackageInvalid, ReferenceFailed, SandboxError) as error:
                _log.error("%s can't be prepared: %s", what, error)
            except Exception:
                _log.exception("%s can't be prepared", what)
            return False
        return False
