"""Running every case of a request, also when one of them kills its child."""

from collections.abc import Callable
from dataclasses import replace
from threading import Event

from sandbox.interface import Box, BoxLost, BoxSpec, CaseInput, CaseOutcome, Request, RunOutcome
from sandbox.pool import Pool

OnCase = Callable[[CaseOutcome], None]


def run_cases(pool: Pool, spec: BoxSpec, request: Request, on_case: OnCase, abort: Event) -> Box:
    """Calls `on_case` once for every case, in order; returns the box that ran the last ones.

    A case that kills its child ends the run: the rest goes into a new child as a new request.
    Raises BoxLost when a box fails, Aborted when `abort` is set.
    """
    with pool.lease(spec, abort) as box:
        while True:
            outcome = box.run(request, on_case, abort)
            request = replace(request, cases=_not_run(request, outcome, on_case))
            if not request.cases:
                return box


def _not_run(request: Request, outcome: RunOutcome, on_case: OnCase) -> tuple[CaseInput, ...]:
    if outcome.load_failure is not None:
        for case in request.cases:
            on_case(replace(outcome.load_failure, name=case.name))
        return ()
    if not outcome.cases:
        raise BoxLost("the box ended its run without an outcome for any case")
    return request.cases[len(outcome.cases) :]
