"""Store the answers of known mistakes, and end each judging with a hint if it makes one (`hints.py`).

No verdict waits for a hint. If the known mistakes have not been computed yet, the answers to samples that were recorded
with the package give a first hint. The judging then ends with `hint_pending`, and a thread adds the hint that the
answers to all cases give. No judging fails for lack of a hint: errors here are logged.
"""

import logging
import threading
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from queue import SimpleQueue
from threading import Event

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from app.catalog.model import Device, MistakeOutput, Revision
from app.catalog.package import Package
from app.database.engine import Database, retry
from app.engine.hints import (
    Answers,
    Question,
    about_samples,
    find_hint,
    list_mistakes,
    mistake_outputs,
    pack,
    question_about,
    unpack,
)
from app.engine.job import Outcomes
from app.engine.memory_cache import SingleFlight
from app.engine.prepare import PreparedCase
from app.errors import JudgeFailed
from app.judging.verdicts import Finish
from app.submissions.judging_record import JudgingClaim, add_hint
from app.worker.expected import ExpectedOutputs
from app.worker.work import Work
from sandbox.interface import Aborted, SandboxError

_log = logging.getLogger(__name__)

# What waits for hints, together, and what each submission holds besides its answers.
HELD_BYTES = 64 * 2**20
QUESTION_BYTES = 32 * 2**10


class KnownMistakes:
    """The answers of known mistakes. Concurrent callers of one object share one computation per variant."""

    def __init__(self, database: Database, expected: ExpectedOutputs) -> None:
        self._database = database
        self._expected = expected
        self._single_flight = SingleFlight()

    def find(self, revision: Revision, package: Package, variant: int, abort: Event) -> Mapping[str, Answers] | None:
        """Return None when they have not been computed yet. Waits while the database is away."""
        return retry(lambda: self._read(revision, package, variant), abort)

    def get(self, revision: Revision, package: Package, variant: int, abort: Event) -> Mapping[str, Answers]:
        """Raises JudgeFailed, BoxLost, Aborted."""
        with self._single_flight.of((revision.id, variant), abort):
            found = self.find(revision, package, variant, abort)
            if found is not None:
                return found
            cases = self._expected.get(revision, package, variant, abort)
            computed = mistake_outputs(package, list_mistakes(package), cases, self._expected.references, abort)
            retry(lambda: self._store(revision, variant, computed), abort)
            return computed

    def find_recorded(self, revision: Revision, package: Package, abort: Event) -> Mapping[str, Answers] | None:
        """Return the recorded answers to samples. None if those of a mistake are missing: another may look like it."""
        recorded = retry(lambda: self._read_recorded(revision), abort)
        if recorded.keys() != {mistake.name for mistake in list_mistakes(package)}:
            return None
        return {name: unpack(b64decode(answers)) for name, answers in recorded.items()}

    def _read_recorded(self, revision: Revision) -> Mapping[str, str]:
        with self._database.transaction() as session:
            samples = session.scalar(select(Revision.samples).where(Revision.id == revision.id))
        mistakes: Mapping[str, str] = samples["mistakes"] if samples else {}
        return mistakes

    def _read(self, revision: Revision, package: Package, variant: int) -> Mapping[str, Answers] | None:
        """The rows of a variant are stored together, so either all or none exist."""
        of_variant = (MistakeOutput.revision_id == revision.id, MistakeOutput.variant == variant)
        of_device = MistakeOutput.device == self._device
        with self._database.transaction() as session:
            rows = session.scalars(select(MistakeOutput).where(*of_variant, of_device)).all()
        if not rows and list_mistakes(package):
            return None
        return {row.mistake: unpack(row.answers) for row in rows}

    def _store(self, revision: Revision, variant: int, computed: Mapping[str, Answers]) -> None:
        """If two workers computed the same, the rows of the first to commit stay."""
        rows = [
            {
                "revision_id": revision.id,
                "variant": variant,
                "device": self._device,
                "mistake": name,
                "answers": pack(answers),
            }
            for name, answers in computed.items()
        ]
        if rows:
            with self._database.transaction() as session:
                session.execute(insert(MistakeOutput).on_conflict_do_nothing(), rows)

    @property
    def _device(self) -> Device:
        return self._expected.device


class HintRecorder:
    """Pending hints are found in a thread of its own."""

    def __init__(self, database: Database, known: KnownMistakes) -> None:
        self._database = database
        self._known = known
        self._waiting: SimpleQueue[tuple[int, Callable[[], None]] | None] = SimpleQueue()
        self._held_bytes, self._lock = 0, threading.Lock()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hints", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Submissions that still wait get no hint."""
        self._stopping.set()
        self._waiting.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (job := self._waiting.get()) is not None and not self._stopping.is_set():
            size, add = job
            self._hold(-size)
            try:
                add()
            except Aborted:
                return
            except Exception:
                _log.exception("A submission gets no hint")

    def add_hint(
        self, work: Work, finish: Finish, outcomes: Outcomes, cases: Sequence[PreparedCase], abort: threading.Event
    ) -> tuple[Finish, Question | None]:
        """Return `finish` with its hint. If answers of known mistakes are not computed yet, it has `hint_pending`, and
        the question for `add_later` comes with it.

        Raises Aborted.
        """
        with _optional(work):
            question = question_about(work.package, finish, outcomes, cases)
            if question is None:
                return finish, None
            known = self._known.find(work.revision, work.package, work.variant, abort)
            if known is not None:
                return replace(finish, hint=find_hint(question, known)), None
            recorded = self._known.find_recorded(work.revision, work.package, abort)
            hint = find_hint(about_samples(question), recorded) if recorded is not None else None
            is_whole = recorded is not None and work.submission.mode == "sample"
            return replace(finish, hint=hint, hint_pending=not is_whole), None if is_whole else question
        return finish, None

    def add_later(self, claim: JudgingClaim, work: Work, question: Question, hint: str | None) -> None:
        """Find the pending hint of a judging that has been written, in another thread. `hint` is its first one."""
        size = QUESTION_BYTES + sum(map(len, question.answers.values()))
        if self._hold(size) <= HELD_BYTES:
            self._waiting.put((size, partial(self._answer, claim, work, question, hint)))
            return
        self._hold(-size)
        _log.warning("%s gets no other hint: too many submissions wait for one", claim)
        add_hint(self._database, claim, hint)

    def _hold(self, size: int) -> int:
        """Change how many bytes of answers wait, and return it."""
        with self._lock:
            self._held_bytes += size
            return self._held_bytes

    def _answer(self, claim: JudgingClaim, work: Work, question: Question, hint: str | None) -> None:
        """Raises Aborted."""
        with _optional(work):
            known = self._known.get(work.revision, work.package, work.variant, self._stopping)
            hint = find_hint(question, known)
        add_hint(self._database, claim, hint)


@contextmanager
def _optional(work: Work) -> Iterator[None]:
    """Log an error in the block, and go on after it. Raises Aborted."""
    try:
        yield
    except Aborted:
        raise
    except (JudgeFailed, SandboxError) as error:
        _log.error("Known mistakes of %s can't be computed: %s", work.package.slug, error)
    except Exception:
        _log.exception("The hint for a submission to %s can't be found", work.package.slug)
