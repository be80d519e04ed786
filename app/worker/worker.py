"""Judge a claimed submission, and write its results."""

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from sqlalchemy.exc import DBAPIError, TimeoutError

from app import log
from app.database.engine import Database, retry
from app.engine.boxes import Pools, box_spec
from app.engine.job import Job, Outcomes, Timeline
from app.engine.judge import judge
from app.engine.overload import LONGEST_WAIT_AFTER_TIMEOUT_SECONDS, LONGEST_WAIT_SECONDS, OverloadWaits
from app.engine.prepare import PreparedCase, find_unanswerable, in_order, prepare_custom_inputs
from app.errors import JudgeFailed
from app.judging.verdicts import CaseResult, Phase
from app.submissions.judging_record import JudgingClaim, finish, is_cancelled, record_cases, record_phases
from app.submissions.view import Mode
from app.worker.expected import ExpectedOutputs
from app.worker.hint_recorder import HintRecorder
from app.worker.middleware import JudgingResult
from app.worker.work import Work, Works
from sandbox.interface import Aborted

# Progress is collected this long, since a transaction for each result would take longer than most cases. Each costs the
# web process a look for every page that shows the submission. Many judgings end sooner.
SHOW_SECONDS = 0.2

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """The resources for judgings of one kind."""

    expected: ExpectedOutputs
    pools: Pools


class Worker:
    """Judges claims, each in a thread of the lease loop.

    `background` has its own low-priority boxes, which no `interactive` judging may get.
    """

    def __init__(
        self,
        database: Database,
        works: Works,
        hint_recorder: HintRecorder,
        *,
        interactive: Lane,
        background: Lane,
        overload_waits: OverloadWaits,
        runs_in_parallel: bool = True,
        card: str = "",
    ) -> None:
        self._database = database
        self._works = works
        self._hint_recorder = hint_recorder
        self._interactive, self._background = interactive, background
        self._overload_waits = overload_waits
        self._runs_in_parallel = runs_in_parallel
        self._card = card

    def judge(self, claim: JudgingClaim, abort: threading.Event) -> JudgingResult:
        """Judge from claim to end: prepare the cases, judge the source, look for a hint, write the verdict.

        Any exception raised here is Allclose's failure: the loop gives the judging back, and it runs again.
        """
        work = retry(lambda: self._works.get(claim), abort)
        log.request_id.set(work.request_id)
        outcomes, cases = Outcomes(), list[PreparedCase]()
        progress = _Progress(self._database, claim, work.submission.mode)
        try:
            progress.timeline.begin("preparing")
            cases = self._prepare(claim, work, abort)
            job = self._job(claim, work, cases, outcomes, progress.timeline)
            end = judge(job, self._lane(claim).pools.students, progress.show_result, abort)
        except Aborted:
            self._make_ready(claim, work)
            raise
        except JudgeFailed as failure:
            if work.submission.inputs is None:
                raise
            end = find_unanswerable(failure)
        finally:
            progress.close()
        end = replace(end, phases=progress.timeline.end(), spent=progress.timeline.spent)
        end, question = self._hint_recorder.add_hint(work, end, outcomes, cases, abort)
        is_written = finish(self._database, claim, end, abort)
        if is_written and question is not None:
            self._hint_recorder.add_later(claim, work, question, end.hint)
        return JudgingResult(claim=claim, work=work, finish=end, outcomes=outcomes, is_written=is_written)

    def _lane(self, claim: JudgingClaim) -> Lane:
        return self._background if claim.is_background else self._interactive

    def _prepare(self, claim: JudgingClaim, work: Work, abort: threading.Event) -> list[PreparedCase]:
        submission = work.submission
        if submission.inputs is not None:
            references = self._interactive.expected.references
            return [prepare_custom_inputs(work.package, submission.inputs, references, abort)]
        cases = self._lane(claim).expected.get(work.revision, work.package, work.variant, abort)
        chosen = [case for case in cases if case.visibility == "sample" or submission.mode == "submit"]
        return in_order(chosen, submission.id)

    def _job(
        self, claim: JudgingClaim, work: Work, cases: Sequence[PreparedCase], outcomes: Outcomes, timeline: Timeline
    ) -> Job:
        lane, is_timed = self._lane(claim), work.package.manifest.efficiency is not None
        longest_wait = LONGEST_WAIT_SECONDS if is_timed else LONGEST_WAIT_AFTER_TIMEOUT_SECONDS
        return Job(
            package=work.package,
            source=work.submission.source,
            cases=cases,
            references=lane.expected.references,
            inspectors=lane.pools.inspectors,
            on_outcome=outcomes.add,
            timeline=timeline,
            wait_until_quieter=partial(self._overload_waits.wait, work.submission.user_id, longest_wait),
            runs_in_parallel=self._runs_in_parallel and not claim.is_background,
            card=self._card,
        )

    def _make_ready(self, claim: JudgingClaim, work: Work) -> None:
        """After a cancellation a new submission usually follows soon, and the box is gone: start another."""
        if not claim.is_background and is_cancelled(self._database, claim):
            self._interactive.pools.students.warm(box_spec(work.package.manifest))


class _Progress:
    """Writes phases and results for progress listeners, in a thread of its own: the judging does not wait for them.

    They are written in groups. `finish` writes everything again, so a failure here does not stop the judging.
    """

    def __init__(self, database: Database, claim: JudgingClaim, mode: Mode) -> None:
        self.timeline = Timeline(self.show_phases, "hidden" if mode == "submit" else "sample")
        self._database, self._claim = database, claim
        self._phases: Sequence[Phase] = ()
        self._results: list[CaseResult] = []
        self._is_closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name=f"progress of {claim}", daemon=True)
        self._thread.start()

    def show_phases(self, phases: Sequence[Phase]) -> None:
        with self._changed:
            self._phases = phases
            self._changed.notify()

    def show_result(self, result: CaseResult) -> None:
        with self._changed:
            self._results.append(result)
            self._changed.notify()

    def close(self) -> None:
        """End the phase, drop what is not written yet, and wait for the write that has begun."""
        self.timeline.close()
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._phases or self._results or self._is_closed)
                if self._changed.wait_for(lambda: self._is_closed, SHOW_SECONDS):
                    return
                phases, self._phases = self._phases, ()
                results, self._results = self._results, []
            self._write(phases, results)

    def _write(self, phases: Sequence[Phase], results: Sequence[CaseResult]) -> None:
        try:
            with self._database.transaction() as session:
                if phases:
                    record_phases(session, self._claim, phases)
                if results:
                    record_cases(session, self._claim, results)
        except (DBAPIError, TimeoutError) as error:
            _log.warning("judging %d: its progress can't be shown: %s", self._claim.judging_id, error)
