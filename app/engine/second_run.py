"""Step 3 of judging, the second run: one case, drawn at random, is called first in another process.

Its answer must be correct there too. That process has no memory of other cases, and another count of calls, clock and
process ID.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from threading import Event

from app.catalog.package import Package
from app.engine.boxes import box_spec
from app.engine.case_verdict import check_again
from app.engine.job import Context
from app.engine.prepare import PreparedCase
from app.engine.request import answer_bytes, build_request, patient
from app.engine.run import run_cases
from app.judging.verdicts import CaseResult, Verdict
from sandbox.interface import CaseInput, CaseOutcome
from sandbox.pool import Pool

_CHANCE = random.SystemRandom()


def draw(package: Package, cases: Sequence[PreparedCase]) -> PreparedCase | None:
    """Return the case for the second run. None: the problem is not deterministic.

    The first case is drawn only where there is no other: it was the first of its process already.
    """
    return _CHANCE.choice(cases[1:] or cases) if package.manifest.deterministic else None


def run_again(package: Package, source: str, case: PreparedCase, pool: Pool, abort: Event) -> CaseOutcome:
    """Call one case in its own process. Raises BoxLost, Aborted.

    The time limit is longer: the first run may have compiled for this case while it ran others.
    """
    given = [CaseInput(name=case.name, inputs=case.inputs)]
    request = patient(build_request(package, source, given, answer_bytes([case.expected])))
    outcomes: list[CaseOutcome] = []
    run_cases(pool, box_spec(package.manifest), request, outcomes.append, abort)
    (outcome,) = outcomes
    return outcome


def confirm(
    context: Context,
    drawn: PreparedCase | None,
    right: Mapping[str, CaseResult],
    find_outcome: Callable[[], CaseOutcome],
) -> Mapping[str, CaseResult]:
    """Check the second run of the drawn case. A submission that is wrong already needs none.

    `find_outcome` returns the outcome of that run. Returns what is right then, of the cases that are timed.
    """
    job, left = context.job, dict(right)
    if drawn is None or drawn.name not in right:
        return left
    result = left.pop(drawn.name)
    if context.results.are_accepted:
        job.timeline.begin("again")
        outcome = find_outcome()
        if context.overload.excuses(outcome):
            context.overload.wait()
            job.timeline.begin("again")
            outcome = run_again(job.package, job.source, drawn, context.pool, context.abort)
        result = check_again(context.checker, drawn, result, outcome)
    if result.verdict is Verdict.ACCEPTED and drawn.name in context.timed:
        left[drawn.name] = result
    else:
        context.results.keep(result)
    return left
