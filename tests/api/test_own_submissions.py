"""A user's own submissions, statistics and ranks over REST. Submissions of other users are not found."""

from uuid import UUID

import httpx
import pytest

from app.accounts.user import find_user
from app.database.engine import Database
from app.submissions.leaderboard import set_ranked
from tests.api.conftest import SignedIn
from tests.factories import (
    make_judging,
    make_measurement,
    make_problem,
    make_reference_measurement,
    make_submission,
    make_user,
)

SLUG = "own_problem"


@pytest.fixture
def ids(ada: httpx.Client, database: Database) -> list[str]:
    """Two submissions of ada, the first accepted and measured, the second in the queue; and one of another user."""
    name = ada.get("/me").json()["username"]
    with database.transaction() as session:
        user, revision = find_user(session, name), make_problem(session, SLUG)
        first = make_submission(session, user, revision)
        judging = make_judging(session, first.id, verdict="accepted", score=100)
        make_measurement(session, judging, 1.0)
        make_reference_measurement(session, revision.id, 4.0)
        others = make_submission(session, make_user(session, "eve"), revision)
        make_judging(session, others.id)
        first_id, others_id = str(first.id), str(others.id)
    with database.transaction() as session:
        second = make_submission(session, find_user(session, name), revision, "sample")
        second.source = "def solve(): return 1"
        make_judging(session, second.id)
        return [first_id, str(second.id), others_id]


def test_submissions_are_listed_narrowed_and_read(ada: httpx.Client, ids: list[str]) -> None:
    first, second, _others = ids

    assert [item["id"] for item in ada.get("/submissions").json()["items"]] == [second, first]
    narrowed = ada.get("/submissions", params={"problem": SLUG, "verdict": "accepted", "mode": "submit"}).json()
    assert [(item["id"], item["score"]) for item in narrowed["items"]] == [(first, 100)]
    assert ada.get("/submissions", params={"problem": "\0"}).json()["code"] == "problem_not_found"
    assert ada.get(f"/submissions/{first}/source").json() == {"source": "def solve(): ..."}


def join_leaderboards(ada: httpx.Client, database: Database) -> None:
    with database.transaction() as session:
        set_ranked(session, UUID(ada.get("/me").json()["id"]), is_ranked=True)


def test_statistics_and_leaderboards(ada: httpx.Client, ids: list[str], database: Database) -> None:
    statistics = ada.get("/me/statistics").json()
    before = ada.get(f"/problems/{SLUG}/leaderboard").json()
    join_leaderboards(ada, database)
    after = ada.get(f"/problems/{SLUG}/leaderboard", params={"by": "time"}).json()

    assert (statistics["submissions"], statistics["solved"]) == (2, 1)
    assert statistics["solved_after_seeing_the_solution"] == 0
    assert (before["entries"], before["own"]["ratio"], before["is_ranked"]) == ([], 0.25, False)
    assert [(entry["place"], entry["username"], entry["submission_id"]) for entry in after["entries"]] == [
        (1, "ada", ids[0])
    ]


def test_a_rank_is_shown_to_others_without_the_submission(
    ada: httpx.Client, ids: list[str], signed_in: SignedIn, database: Database
) -> None:
    join_leaderboards(ada, database)

    board = signed_in("bob").get(f"/problems/{SLUG}/leaderboard").json()

    assert [(entry["username"], entry["submission_id"]) for entry in board["entries"]] == [("ada", None)]
    assert board["own"] is None
    assert ids[0] not in str(board)
