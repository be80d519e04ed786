"""Judging again by REST: from the preview to what counts."""

from http import HTTPStatus
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from app.accounts.model import User
from app.database.engine import Database
from app.submissions.model import Submission
from tests.factories import make_assignment, make_course, make_member, make_problem
from tests.rejudging.rows import judge_again, make_judged

WRONG = {"chosen": {"problem": "sums", "verdict": "wrong_answer"}}
PATH = "/rejudgings"


@pytest.fixture
def submission(ada: httpx.Client, database: Database) -> Submission:  # noqa: ARG001 (it is hers)
    with database.transaction() as session:
        user = session.scalars(select(User).where(User.username == "ada")).one()
        revision, course = make_problem(session, "sums"), make_course(session, "here")
        submission = make_judged(session, revision, user=user)
        make_member(session, course, user)
        submission.assignment_id = make_assignment(session, course, revision).id
        return submission


def begin(admin: httpx.Client) -> dict[str, Any]:
    answer = admin.post(PATH, json=WRONG)
    assert answer.status_code == HTTPStatus.ACCEPTED
    view: dict[str, Any] = answer.json()
    assert answer.headers["location"].endswith(f"{PATH}/{view['id']}")
    return view


def test_from_the_preview_to_the_verdict_that_counts(
    admin: httpx.Client, ada: httpx.Client, database: Database, submission: Submission
) -> None:
    found = admin.post("/rejudging-previews", json=WRONG).json()
    begun = begin(admin)
    path = f"{PATH}/{begun['id']}"
    judge_again(database)
    ready = admin.get(f"{path}?wait=10").json()
    changes = admin.get(f"{path}/changes?only_changed=true").json()
    grades = admin.get(f"{path}/grade-changes").json()
    before = ada.get(f"/submissions/{submission.id}").json()
    applied = admin.post(f"{path}/apply").json()

    assert [each["submission"] for each in found["items"]] == [str(submission.id)]
    assert (begun["state"], ready["state"], applied["state"]) == ("judging", "ready", "applied")
    assert ready["moves"] == [{"old": "wrong_answer", "new": "accepted", "count": 1}]
    assert [each["kind"] for each in changes["items"]] == ["better"]
    assert before["verdict"] == "wrong_answer"
    (homework,) = grades["items"]
    assert [(each["username"], each["before"], each["after"]) for each in homework["rises"]] == [
        ("ada", "5.00", "10.00")
    ]
    assert admin.get(f"{path}/grade-changes").json() == grades
    assert ada.get(f"/submissions/{submission.id}").json()["verdict"] == "accepted"
    assert [each["id"] for each in admin.get(PATH).json()["items"]] == [begun["id"]]
