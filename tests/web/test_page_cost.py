"""What the pages of a submission cost: their statements.

Each statement costs the web process most of a millisecond of CPU time.
"""

from collections.abc import Callable

import numpy as np
import pytest
from fastapi.testclient import TestClient

from app.database.engine import Database
from app.judging.verdicts import CaseResult
from tests.factories import make_worker
from tests.web.judged import RIGHT, answered, end, record, take
from tests.web.statements import counted
from tests.web.submit_form import PAGE, solve, submit

# One of them reads the assignments for which the student may hand in.
MOST_FOR_A_PROBLEM = 9
MOST_FOR_A_SUBMISSION = 7
MOST_FOR_A_LOOK = 3


def wait_in_queue(client: TestClient, _: Database) -> str:
    return submit(client)


def wrong() -> tuple[CaseResult, ...]:
    return (answered(1, np.array(9, np.float32)), answered(2, RIGHT))


def run_judging(client: TestClient, database: Database) -> str:
    """Submit, and judge the first case. Return the path of the submission's page."""
    path = submit(client)
    record(database, take(database), answered(0, RIGHT))
    return path


@pytest.fixture(autouse=True)
def _worker(database: Database) -> None:
    with database.transaction() as session:
        make_worker(session, "cpu")


@pytest.mark.parametrize("prepare", [wait_in_queue, run_judging, solve], ids=["queued", "judging", "accepted"])
def test_the_pages_of_a_problem_and_of_a_submission_run_few_statements(
    ada: TestClient, database: Database, prepare: Callable[[TestClient, Database], str]
) -> None:
    path = prepare(ada, database)

    with counted(database) as of_problem:
        ada.get(PAGE).raise_for_status()
    with counted(database) as of_submission:
        ada.get(path).raise_for_status()

    assert len(of_problem) <= MOST_FOR_A_PROBLEM
    assert len(of_submission) <= MOST_FOR_A_SUBMISSION


def test_a_result_and_each_look_of_its_stream_run_at_most_3_statements(ada: TestClient, database: Database) -> None:
    path = submit(ada)
    claim = take(database)
    record(database, claim, answered(0, RIGHT))

    with counted(database) as of_result:
        ada.get(f"{path}/result").raise_for_status()
    end(database, claim, *wrong())
    with counted(database) as of_stream:
        ada.get(f"{path}/events").raise_for_status()

    assert len(of_result) <= MOST_FOR_A_LOOK
    assert len(of_stream) <= 1 + 1 + MOST_FOR_A_LOOK  # the viewer and whether they may read it come first


def test_the_last_look_at_an_accepted_submission_reads_its_next_steps_too(ada: TestClient, database: Database) -> None:
    path = solve(ada, database)

    with counted(database) as of_result:
        ada.get(f"{path}/result").raise_for_status()

    assert len(of_result) <= MOST_FOR_A_LOOK + 2
