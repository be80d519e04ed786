"""Judging one submission: run every case in a box, check each answer against the expected one, sum up."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event

from app.catalog.package import Package
from app.judging.result import CaseResult
from app.judging.verdicts import overall, score
from app.worker.asking import Asker
from app.worker.check import check_case, give_up
from app.worker.lease import Finish
from app.worker.prepare import PreparedCase
from app.worker.request import answer_bytes, box_spec, build_request
from app.worker.run import run_cases
from sandbox.interface import CaseInput, CaseOutcome
from sandbox.pool import Pool

OnResult = Callable[[CaseResult], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """`references`: where the package's own checker.py runs, if it has one; a pool whose boxes hold no submission."""

    package: Package
    source: str
    cases: Sequence[PreparedCase]
    references: Pool | None = None


def judge(job: Job, pool: Pool, on_result: OnResult, abort: Event) -> Finish:
    """Raises BoxLost when the sandbox and JudgeFailed when the package fails: the student is not charged for either.

    Raises Aborted when `abort` is set.
    """
    results: list[CaseResult] = []
    asker = Asker(job.package, job.references, abort)

    def keep(result: CaseResult) -> None:
        results.append(result)
        on_result(result)

    def check(outcome: CaseOutcome) -> None:
        keep(check_case(asker, job.cases[len(results)], outcome))

    inputs = [CaseInput(name=case.name, inputs=case.inputs) for case in job.cases]
    most = answer_bytes([case.expected for case in job.cases])
    request = build_request(job.package, job.source, inputs, most)
    box = run_cases(pool, box_spec(job.package.manifest), request, check, abort)
    for case in job.cases[len(results) :]:
        keep(give_up(case, results[-1].verdict))
    verdicts = [result.verdict for result in results]
    return Finish(
        verdict=overall(verdicts),
        score=score(verdicts),
        cases=tuple(results),
        image=box.ready.image,
        versions=box.ready.versions,
    )
