"""Judging one submission: run every case in a box, check each answer against the expected one, sum up."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event

from app.catalog.package import Package
from app.judging.result import CaseResult
from app.judging.verdicts import Verdict, overall, score
from app.worker.asking import Asker
from app.worker.check import check_again, check_case, give_up
from app.worker.lease import Finish
from app.worker.prepare import PreparedCase
from app.worker.request import answer_bytes, box_spec, build_request
from app.worker.rerun import draw, run_again
from app.worker.run import run_cases
from sandbox.interface import Box, CaseInput, CaseOutcome
from sandbox.pool import Pool

OnResult = Callable[[CaseResult], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """`cases` in the order in which they run.

    `references`: where the package's own checker.py runs, if it has one; a pool whose boxes hold no submission.
    """

    package: Package
    source: str
    cases: Sequence[PreparedCase]
    references: Pool | None = None


def judge(job: Job, pool: Pool, on_result: OnResult, abort: Event) -> Finish:
    """Raises BoxLost when the sandbox and JudgeFailed when the package fails: the student is not charged for either.

    Raises Aborted when `abort` is set. `on_result` gets each result as it comes in; the cases of what is returned are
    in order of position.
    """
    results = _Results(on_result)
    box = _Run(job, pool, abort, results).run()
    cases = results.by_position
    verdicts = [result.verdict for result in cases]
    return Finish(
        verdict=overall(verdicts),
        score=score(verdicts),
        cases=cases,
        image=box.ready.image,
        versions=box.ready.versions,
    )


class _Results:
    def __init__(self, on_result: OnResult) -> None:
        self._on_result = on_result
        self._found: list[CaseResult] = []

    def keep(self, result: CaseResult) -> None:
        self._found.append(result)
        self._on_result(result)

    @property
    def are_accepted(self) -> bool:
        return all(result.verdict is Verdict.ACCEPTED for result in self._found)

    @property
    def last_verdict(self) -> Verdict:
        return self._found[-1].verdict

    @property
    def by_position(self) -> tuple[CaseResult, ...]:
        return tuple(sorted(self._found, key=lambda result: result.position))


class _Run:
    """The cases, and then the one among them that was drawn once more."""

    def __init__(self, job: Job, pool: Pool, abort: Event, results: _Results) -> None:
        self._job, self._pool, self._abort, self._results = job, pool, abort, results
        self._asker = Asker(job.package, job.references, abort)
        self._waiting = iter(job.cases)
        self._drawn = draw(job.package, job.cases)
        self._held: CaseResult | None = None

    def run(self) -> Box:
        job = self._job
        inputs = [CaseInput(name=case.name, inputs=case.inputs) for case in job.cases]
        most = answer_bytes([case.expected for case in job.cases])
        request = build_request(job.package, job.source, inputs, most)
        box = run_cases(self._pool, box_spec(job.package.manifest), request, self._check, self._abort)
        for case in self._waiting:
            self._results.keep(give_up(case, self._results.last_verdict))
        if self._held is not None:
            self._results.keep(self._confirmed(self._held))
        return box

    def _check(self, outcome: CaseOutcome) -> None:
        """The drawn one's result is shown when it is final: a row that was shown does not change."""
        case = next(self._waiting)
        result = check_case(self._asker, case, outcome)
        if case is self._drawn and result.verdict is Verdict.ACCEPTED:
            self._held = result
        else:
            self._results.keep(result)

    def _confirmed(self, first: CaseResult) -> CaseResult:
        """A submission that is not accepted anyway need not wait for it."""
        case, job = self._drawn, self._job
        if case is None or not self._results.are_accepted:
            return first
        outcome = run_again(job.package, job.source, case, self._pool, self._abort)
        return check_again(self._asker, case, first, outcome)
