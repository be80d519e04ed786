"""Prepare ahead of submissions: warm boxes, and the data that every current revision needs for judging."""

import logging
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import partial
from uuid import UUID

from app.catalog.fault import PackageInvalid
from app.catalog.model import Revision
from app.catalog.package import Package
from app.catalog.publish import PUBLISHED
from app.database.listener import Listener
from app.queue.background_pause import lower_priority
from app.queue.lease import Claim
from app.queue.retry import retry
from app.worker.boxes import INSPECTOR, Pools, box_spec
from app.worker.compilation_cache import LEARNABLE_VERDICTS, CompilationCache
from app.worker.expected import ExpectedOutputs
from app.worker.hint_recorder import KnownMistakes
from app.worker.middleware import Judge, Judged, Middleware
from app.worker.prepare import ReferenceFailed
from app.worker.request import device_of
from app.worker.work import Work, Works
from sandbox.interface import Aborted, SandboxAway, SandboxError

# Wait this long when no box can be opened.
AWAY_SECONDS = 30.0
# Queued solutions to learn from.
MOST_WAITING = 50
PREPARED = "%d problems are prepared; other variants follow"
COMPILED = "The library programs of %s are compiled"

_log = logging.getLogger(__name__)


Step = Callable[[], None]


@dataclass(frozen=True, slots=True)
class _Agenda:
    """Queued steps by kind, in the order in which the kinds run. `first`: for pages, and for problems that are open."""

    first: deque[Step] = field(default_factory=deque)
    libraries: deque[Step] = field(default_factory=deque)
    second_variants: deque[Step] = field(default_factory=deque)
    other_variants: deque[Step] = field(default_factory=deque)
    mistakes: deque[Step] = field(default_factory=deque)
    learning: deque[Step] = field(default_factory=deque)

    def pop(self) -> Step | None:
        kinds = (getattr(self, kind.name) for kind in fields(self))
        waiting: deque[Step] | None = next(filter(None, kinds), None)
        return waiting.popleft() if waiting else None


class Warmer(Middleware):
    """Runs in its own thread, and checks after each step for newly published revisions. Judgings redo what fails here.

    Interactive judgings have an `expected` of their own: they would wait for low-priority boxes in this one.
    """

    def __init__(
        self, works: Works, expected: ExpectedOutputs, known: KnownMistakes, cache: CompilationCache, pools: Pools
    ) -> None:
        self._works = works
        self._device = expected.device
        self._expected = expected
        self._known = known
        self._cache = cache
        self._pools = pools
        self._seen: set[UUID] = set()
        self._preferred: set[UUID] = set()
        self._agenda = _Agenda()
        self._stop = threading.Event()
        self._news = threading.Event()
        self._listener = Listener(works.url, PUBLISHED, lambda _: self._news.set())
        self._thread = threading.Thread(target=self._run, name="warmer", daemon=True)

    def start(self) -> None:
        self._listener.start()
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._news.set()
        self._listener.stop()
        self._thread.join()

    def prefer(self, revision: Revision, package: Package) -> None:
        """Prepare this revision before others, once, because a student has it open."""
        if revision.id in self._preferred:
            return
        self._preferred.add(revision.id)
        variants = range(min(package.manifest.variants, 2))
        prepare = [partial(self._prepare, revision, package, variant) for variant in variants]
        self._agenda.first.extendleft(reversed(prepare))
        self._agenda.libraries.appendleft(partial(self._fill_library, revision, package))
        self._news.set()

    def around(self, judge: Judge, claim: Claim, abort: threading.Event) -> Judged:
        """Queue a solution that has run, to learn its library calls later."""
        judged = judge(claim, abort)
        is_whole = judged.is_written and judged.work.submission.mode == "submit"
        if is_whole and judged.finish.verdict in LEARNABLE_VERDICTS:
            self._learn_later(judged.work)
        return judged

    def _learn_later(self, work: Work) -> None:
        waiting = self._agenda.learning
        if len(waiting) < MOST_WAITING and self._cache.may_learn(work.package, work.submission.user_id):
            waiting.append(partial(self._learn, work))
            self._news.set()

    def _run(self) -> None:
        current = self._list_new()
        self._warm(current)
        lower_priority()
        self._plan(current)
        while not self._stop.is_set():
            if self._news.is_set():
                self._news.clear()
                if published := self._list_new():
                    self._plan(published)
            elif step := self._agenda.pop():
                step()
            else:
                self._news.wait()

    def _warm(self, current: list[tuple[Revision, Package]]) -> None:
        for spec in {box_spec(package.manifest): None for _, package in current}:
            self._attempt(f"a box with {', '.join(spec.frameworks)}", partial(self._pools.students.warm, spec))
        if any(package.manifest.is_traced for _, package in current):
            self._attempt("an inspector's box", partial(self._pools.inspectors.warm, INSPECTOR))

    def _plan(self, current: list[tuple[Revision, Package]]) -> None:
        """Queue the steps: variant 0 of all problems first, since pages show it, then a second variant of each.

        With two variants, a student's next submission can get another one without waiting. Known mistakes come last: a
        hint can follow its verdict, but a verdict needs the expected outputs.
        """
        agenda = self._agenda
        shown = [partial(self._prepare, revision, package, 0) for revision, package in current]
        agenda.first.extendleft(reversed([*shown, partial(_log.info, PREPARED, len(current))]))
        for revision, package in current:
            variants = range(package.manifest.variants)
            prepare = [partial(self._prepare, revision, package, variant) for variant in variants[1:]]
            agenda.second_variants.extend(prepare[:1])
            agenda.other_variants.extend(prepare[1:])
            agenda.mistakes.extend(partial(self._prepare_mistakes, revision, package, variant) for variant in variants)
        agenda.other_variants.append(partial(_log.info, "Every variant is prepared"))
        agenda.mistakes.append(partial(_log.info, "Every known mistake can be recognised"))

    def _list_new(self) -> list[tuple[Revision, Package]]:
        """Return current revisions not listed before, sorted so that references that can share a box are adjacent."""
        revisions: list[Revision] = []
        self._attempt("the list of problems", lambda: revisions.extend(retry(self._works.current, self._stop)))
        pairs: list[tuple[Revision, Package]] = []
        for revision in revisions:
            if revision.id not in self._seen:
                self._attempt(f"revision {revision.id}", partial(self._add, pairs, revision))
        self._seen.update(revision.id for revision in revisions)
        return sorted(pairs, key=lambda pair: box_spec(pair[1].manifest).frameworks)

    def _add(self, pairs: list[tuple[Revision, Package]], revision: Revision) -> None:
        """Revisions of another queue are prepared by that queue's workers."""
        package = retry(lambda: self._works.package(revision), self._stop)
        if device_of(package.manifest) == self._device:
            pairs.append((revision, package))

    def _prepare(self, revision: Revision, package: Package, variant: int) -> None:
        def prepare() -> None:
            cases = self._expected.get(revision, package, variant, self._stop)
            self._cache.fill(package, cases, self._stop)

        self._attempt(f"{package.slug}, variant {variant},", prepare)

    def _fill_library(self, revision: Revision, package: Package) -> None:
        def fill() -> None:
            self._preferred.discard(revision.id)  # a failed step is repeated when a student opens the problem again
            cases = self._expected.get(revision, package, 0, self._stop)
            self._cache.fill_more(package, cases, self._stop)
            self._preferred.add(revision.id)
            _log.info(COMPILED, package.slug)

        self._attempt(f"the library's programs of {package.slug}", fill)

    def _learn(self, work: Work) -> None:
        student = work.submission.user_id
        if not self._cache.may_learn(work.package, student):  # two submissions of one student may have waited
            return

        def learn() -> None:
            cases = self._expected.get(work.revision, work.package, 0, self._stop)
            self._cache.learn(work.package, student, work.submission.source, cases, self._stop)

        self._attempt(f"what solutions of {work.package.slug} call", learn)

    def _prepare_mistakes(self, revision: Revision, package: Package, variant: int) -> None:
        compute = partial(self._known.get, revision, package, variant, self._stop)
        self._attempt(f"what known mistakes of {package.slug}, variant {variant}, answer", compute)

    def _attempt(self, what: str, step: Callable[[], object]) -> None:
        """Run a step; after an error the rest is still prepared. A judging that needs it fails too, and stores why."""
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
