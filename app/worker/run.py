"""Run every case of a request, even if some of them kill the student's process."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Event

from sandbox.interface import Box, BoxLost, BoxSpec, CaseInput, CaseOutcome, Request, RunOutcome
from sandbox.pool import Pool

OnCase = Callable[[CaseOutcome], None]

# Each process loads the source again and may run into the time limit while other students wait.
PROCESSES = 3


def run_cases(pool: Pool, spec: BoxSpec, request: Request, on_case: OnCase, abort: Event) -> Box:
    """Call `on_case` once for every case, in order. Return the box that ran them.

    A case that kills its process ends the run; the rest goes into a new process as a new request. After `PROCESSES`
    processes have died, the rest is not run, and `on_case` is not called for it.

    Raises BoxLost when a box fails, Aborted when `abort` is set.
    """
    with pool.lease(spec, abort, request.problem) as box:
        run_all(box, request, on_case, abort)
    return box


def run_all(box: Box, request: Request, on_case: OnCase, abort: Event) -> None:
    """Like `run_cases`, in a box that is already leased."""
    for _ in range(PROCESSES):
        outcome = box.run(request, on_case, abort)
        request = replace(request, cases=_not_run(request, outcome, on_case))
        if not request.cases:
            break


def _not_run(request: Request, outcome: RunOutcome, on_case: OnCase) -> Sequence[CaseInput]:
    if outcome.load_failure is not None:
        for case in request.cases:
            on_case(replace(outcome.load_failure, name=case.name))
        return ()
    if not outcome.cases:
        raise BoxLost("the box ended its run without an outcome for any case")
    return request.cases[len(outcome.cases) :]
