"""One case, drawn at random, runs again in a process of its own: what it says there must be right too.

What a process remembers of other cases is not there, and neither is its count of calls, its clock or its id.
"""

import random
from collections.abc import Sequence
from threading import Event

from app.catalog.package import Package
from app.worker.boxes import box_spec
from app.worker.prepare import PreparedCase
from app.worker.request import answer_bytes, build_request, patient
from app.worker.run import run_cases
from sandbox.interface import CaseInput, CaseOutcome
from sandbox.pool import Pool

_CHANCE = random.SystemRandom()


def draw(package: Package, cases: Sequence[PreparedCase]) -> PreparedCase | None:
    """Not the one that runs first, where there are others: it would run first again. None: nothing is to run again."""
    return _CHANCE.choice(cases[1:] or cases) if package.manifest.deterministic else None


def run_again(package: Package, source: str, case: PreparedCase, pool: Pool, abort: Event) -> CaseOutcome:
    """With patience: what was compiled for the cases before is compiled for this one now. Raises BoxLost, Aborted."""
    given = [CaseInput(name=case.name, inputs=case.inputs)]
    request = patient(build_request(package, source, given, answer_bytes([case.expected])))
    outcomes: list[CaseOutcome] = []
    run_cases(pool, box_spec(package.manifest), request, outcomes.append, abort)
    (outcome,) = outcomes
    return outcome
