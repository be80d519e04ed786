"""Prepare what students need before they submit: boxes, expected outputs, and the answers of known mistakes.

Two threads do it. One prepares a problem when a student opens it or an author publishes it: boxes, the outputs of a
variant, what known mistakes answer there, and the library's programs. The other one works at low priority while
students leave room: it prepares the other variants of opened problems, then one variant of every other problem. A
judging never waits in a queue behind them: it computes itself what is missing.
"""

import logging
import threading
from collections.abc import Callable, Collection, Sequence
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
from app.catalog.publish import PROBLEM_OPENED
from app.database.engine import retry
from app.database.listener import Listener
from app.engine.boxes import INSPECTOR, Pools, box_spec
from app.engine.compilation_cache import CompilationCache
from app.engine.prepare import ReferenceFailed
from app.engine.request import device_of
from app.queue.background_work import BackgroundPause, lower_priority
from app.worker.expected import ExpectedOutputs
from app.worker.hint_recorder import KnownMistakes
from app.worker.work import Works
from sandbox.interface import Aborted, SandboxAway, SandboxError

# Wait this long when no box can be opened.
AWAY_SECONDS = 30.0
PREPARED = "%d problems are prepared"
RECOGNISED = "The known mistakes of %s can be recognised"
COMPILED = "The library programs of %s are compiled"

_log = logging.getLogger(__name__)


class Urgency(IntEnum):
    """The order of steps."""

    OUTPUTS = 0
    MISTAKES = 1
    LIBRARY = 2
    OTHERS = 3


Step = Callable[[], object]


class _Steps:
    """The steps of a thread. Those of one urgency and kind of box run in the order in which they arrived."""

    def __init__(self) -> None:
        self._waiting: PriorityQueue[tuple[Urgency, Sequence[str], int, tuple[str, Step]]] = PriorityQueue()
        self._number = count()

    def put(self, what: str, step: Step, urgency: Urgency = Urgency.OUTPUTS, frameworks: Sequence[str] = ()) -> None:
        """`what`: the step's subject, for the log. `frameworks`: of the box that the step needs. Steps that need the
        same box follow one another.
        """
        self._waiting.put((urgency, frameworks, next(self._number), (what, step)))

    def take(self) -> tuple[str, Step]:
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
    boxes, for which no judging may wait. `lacks`: frameworks that the boxes do not have.
    """

    def __init__(
        self,
        works: Works,
        at_once: Preparation,
        idle: Preparation,
        pools: Pools,
        background_pause: BackgroundPause,
        lacks: Collection[str] = (),
    ) -> None:
        self._works, self._pools = works, pools
        self._at_once, self._idle = at_once, idle
        self._background_pause, self._lacks = background_pause, frozenset(lacks)
        self._heard: set[str] = set()  # those that are to be opened
        self._opened: set[UUID] = set()
        self._now, self._later = _Steps(), _Steps()
        self._stop = threading.Event()
        self._listener = Listener(works.url, PROBLEM_OPENED, self._hear)
        self._threads = (
            threading.Thread(target=self._run, name="opened", daemon=True),
            threading.Thread(target=self._run_when_idle, name="warmer", daemon=True),
        )

    def start(self) -> None:
        self._later.put("the list of problems", self._plan)
        for part in (*self._threads, self._listener):
            part.start()

    def stop(self) -> None:
        self._stop.set()
        for steps in (self._now, self._later):
            steps.put("the end", lambda: None)  # wakes the thread
        self._listener.stop()
        for thread in self._threads:
            thread.join()

    def add(self, what: str, step: Callable[[threading.Event], object]) -> None:
        """Run this step too when there is room. `what`: its subject, for the log. The event aborts it."""
        self._later.put(what, partial(step, self._stop))

    def _run(self) -> None:
        while not self._stop.is_set():
            self._attempt(*self._now.take())

    def _run_when_idle(self) -> None:
        lower_priority()
        with suppress(Aborted):
            while not self._stop.is_set():
                what, step = self._later.take()
                self._background_pause.wait(self._stop)
                self._attempt(what, step)

    def _attempt(self, what: str, step: Step) -> None:
        """Run a step. A judging that needs it fails too, and stores why."""
        while not self._stop.is_set():
            try:
                step()
            except SandboxAway:
                self._stop.wait(AWAY_SECONDS)
                continue
            except Aborted:
                pass
            except (PackageInvalid, ReferenceFailed, SandboxError) as error:
                _log.error("%s can't be prepared: %s", what, error)
            except Exception:
                _log.exception("%s can't be prepared", what)
            return

    def _hear(self, revision_id: str | None) -> None:
        if revision_id is not None and revision_id not in self._heard:
            self._heard.add(revision_id)
            self._now.put(f"revision {revision_id}", partial(self._open, revision_id))

    def _open(self, revision_id: str) -> None:
        """Have a box ready, and the first time boxes for two processes of a submission. Prepare the revision once.

        No second box starts later, since that would take a core from the judging which this announces.
        """
        self._heard.discard(revision_id)
        revision, package = retry(lambda: self._works.revision(UUID(revision_id)), self._stop)
        if not self._serves(package):
            return
        is_new = revision.id not in self._opened
        self._pools.students.warm(box_spec(package.manifest), 2 if is_new else 1)
        if package.manifest.is_traced:
            self._pools.inspectors.warm(INSPECTOR)
        if is_new:
            self._now.put(f"{package.slug}, variant 0,", partial(self._prepare_opened, revision, package))

    def _serves(self, package: Package) -> bool:
        """Problems of another queue are prepared by that queue's workers."""
        has_device = device_of(package.manifest) == self._at_once.expected.device
        return has_device and self._lacks.isdisjoint(package.manifest.frameworks)

    def _prepare_opened(self, revision: Revision, package: Package) -> None:
        """Prepare one variant at once, the others when there is room. What fails here is tried at the next opening."""
        cases = self._at_once.expected.get(revision, package, 0, self._stop)
        if revision.id in self._opened:
            return
        self._opened.add(revision.id)
        mistakes = partial(self._prepare_mistakes, self._at_once, revision, package, 0)
        self._now.put(f"what known mistakes of {package.slug} answer", mistakes, Urgency.MISTAKES)
        fill = partial(self._at_once.cache.fill, package, cases, self._stop)
        self._now.put(f"the library's programs of {package.slug}", fill, Urgency.LIBRARY)
        frameworks = box_spec(package.manifest).frameworks
        for variant in range(1, package.manifest.variants):
            both = partial(self._prepare_variant, revision, package, variant)
            self._later.put(f"{package.slug}, variant {variant},", both, Urgency.OUTPUTS, frameworks)
        fill_more = partial(self._fill_library_more, revision, package)
        self._later.put(f"more of the library's programs of {package.slug}", fill_more, Urgency.LIBRARY, frameworks)

    def _prepare_variant(self, revision: Revision, package: Package, variant: int) -> None:
        self._idle.expected.get(revision, package, variant, self._stop)
        self._prepare_mistakes(self._idle, revision, package, variant)

    def _prepare_mistakes(self, where: Preparation, revision: Revision, package: Package, variant: int) -> None:
        where.known.get(revision, package, variant, self._stop)
        if variant == 0:
            _log.info(RECOGNISED, package.slug)

    def _fill_library_more(self, revision: Revision, package: Package) -> None:
        cases = self._idle.expected.get(revision, package, 0, self._stop)
        self._idle.cache.fill_more(package, cases, self._stop)
        _log.info(COMPILED, package.slug)

    def _plan(self) -> None:
        """Queue every current problem, one kind of box after the other, since boxes start slowly.

        The kind of the most popular problem comes first. Within a kind, the most popular problem comes first.
        """
        packages: dict[UUID, Package] = {}
        current = retry(self._works.current, self._stop)
        for revision in current:
            self._attempt(f"revision {revision.id}", partial(self._add, packages, revision))
        mine = [(revision, packages[revision.id]) for revision in current if revision.id in packages]
        kinds = list(dict.fromkeys(box_spec(package.manifest) for _, package in mine))
        for revision, package in sorted(mine, key=lambda pair: kinds.index(box_spec(pair[1].manifest))):
            compute = partial(self._idle.expected.get, revision, package, 0, self._stop)
            self._later.put(f"{package.slug}, variant 0,", compute, Urgency.OTHERS)
        self._later.put("the list of problems", partial(_log.info, PREPARED, len(mine)), Urgency.OTHERS)

    def _add(self, packages: dict[UUID, Package], revision: Revision) -> None:
        _, package = retry(lambda: self._works.revision(revision.id), self._stop)
        if self._serves(package):
            packages[revision.id] = package
