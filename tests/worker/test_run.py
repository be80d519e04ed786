import threading

from app.engine.request import run_cases
from sandbox.interface import BoxSpec, CaseOutcome, Ending
from tests.sandbox.bench import make_request
from tests.worker.bench import CountingPool

DIES_IN_EVERY_OTHER_CASE = """
    import os

    def solve(n):
        if n % 2:
            os._exit(1)
        return n
"""


def test_all_cases_of_a_request_run_in_one_lease_however_often_the_program_dies(pool: CountingPool) -> None:
    outcomes: list[CaseOutcome] = []
    request = make_request(DIES_IN_EVERY_OTHER_CASE, *({"n": n} for n in range(5)))
    pool.leases = 0

    run_cases(pool, BoxSpec(("numpy",)), request, outcomes.append, threading.Event())

    crashed, answered = Ending.CRASHED, Ending.ANSWERED
    assert [each.ending for each in outcomes] == [answered, crashed, answered, crashed, answered]
    assert pool.leases == 1
