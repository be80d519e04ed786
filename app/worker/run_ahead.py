"""What runs of a submission begin before their turn (`run.RunAhead`), while the first run still goes on.

They begin where a core and a box are idle: starting a box would take more of the cores than such a run does. There are
three of them.

- The second run: one case, drawn at random, is called again as the first one of another process. Its answer must be
  right there too. That process does not have what the first one remembers of other cases, nor its count of calls, its
  clock or its process id.
- Other shapes: the process of the second run goes on with some shapes of inputs, which the first process leaves out.
- The tracing of the function, for problems that ask for programs.
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
    """Return the case for the second run. None: the problem is not deterministic.

    The first case is drawn only where there is no other: it was the first of its process already.
    """
    return _CHANCE.choice(cases[1:] or cases) if package.manifest.deterministic else None


def run_again(package: Package, source: str, case: PreparedCase, pool: Pool, abort: Event) -> CaseOutcome:
    """Call one case in a process of its own. Raises BoxLost, Aborted.

    Its time limit is a patient one: the first run may have compiled for this case while it ran others.
    """
    given = [CaseInput(name=case.name, inputs=case.inputs)]
    request = patient(build_request(package, source, given, answer_bytes([case.expected])))
    outcomes: list[CaseOutcome] = []
    run_cases(pool, box_spec(package.manifest), request, outcomes.append, abort)
    (outcome,) = outcomes
    return outcome
