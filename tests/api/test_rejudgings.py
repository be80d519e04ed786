"""Judging again by REST: from the preview to what counts."""

from http import HTTPStatus
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from app.accounts.model import User
from app.database.engine import Database
from app.submissions.model import Submission
from tests.api.conftest import SignedIn
from tests.factories import make_problem
from tests.rejudging.rows import judge_again, make_failed, make_judged

WRONG = {"chosen": {"problem": "sums", "verdict": "wrong_answer"}}
PATH = "/rejudgings"


@pytest.fixture
def grace(signed_in: SignedIn) -> httpx.Client:
    return signed_in("grace", role="admin")


@pytest.fixture
def submission(ada: httpx.Client, database: Database) -> Submission:  # noqa: ARG001 (it is hers)
    with database.transaction() as session:
        user = session.scalars(select(User).where(User.username == "ada")).one()
        return make_judged(session, make_problem(session, "sums"), user=user)


def begin(grace: httpx.Client, **headers: str) -> dict[str, Any]:
    answer = grace.post(PATH, json=WRONG, headers=headers)
    assert answer.status_code == HTTPStatus.ACCEPTED
    view: dict[str, Any] = answer.json()
    assert answer.headers["location"].endswith(f"{PATH}/{view['id']}")
    return view


def test_from_the_preview_to_the_verdict_that_counts(
    grace: httpx.Client, ada: httpx.Client, database: Database, submission: Submission
) -> None:
    found = grace.post("/rejudging-previews", json=WRONG).json()
    begun = begin(grace)
    path = f"{PATH}/{begun['id']}"
    judge_again(database)
    ready = grace.get(f"{path}?wait=10").json()
    changes = grace.get(f"{path}/changes?only_changed=true").json()
    before = ada.get(f"/submissions/{submission.id}").json()
    applied = grace.post(f"{path}/apply").json()

    assert [each["submission"] for each in found["items"]] == [str(submission.id)]
    assert (begun["state"], ready["state"], applied["state"]) == ("judging", "ready", "applied")
    assert ready["moves"] == [{"old": "wrong_answer", "new": "accepted", "count": 1}]
    assert [each["kind"] for each in changes["items"]] == ["better"]
    assert before["verdict"] == "wrong_answer"
    assert ada.get(f"/submissions/{submission.id}").json()["verdict"] == "accepted"
    judgings = ada.get(f"/submissions/{submission.id}/judgings").json()["items"]
    assert [each["verdict"] for each in judgings] == ["wrong_answer", "accepted"]
    assert [each["id"] for each in grace.get(PATH).json()["items"]] == [begun["id"]]


@pytest.mark.usefixtures("submission")
def test_all_of_a_cause_are_judged_again(grace: httpx.Client, database: Database) -> None:
    with database.transaction() as session:
        failed = make_failed(session, make_problem(session, "products"), "BoxLost: box 17 died")
    wanted = {"chosen": {"cause": "BoxLost: box # died", "samples": True}}

    found = grace.post("/rejudging-previews", json=wanted).json()
    begun = grace.post(PATH, json=wanted).json()

    assert [each["submission"] for each in found["items"]] == [str(failed.id)]
    assert (begun["total"], begun["chosen"]["cause"]) == (1, "BoxLost: box # died")


@pytest.mark.usefixtures("submission")
def test_the_same_key_begins_one(grace: httpx.Client) -> None:
    first = begin(grace, **{"Idempotency-Key": "once"})

    assert begin(grace, **{"Idempotency-Key": "once"})["id"] == first["id"]


@pytest.mark.usefixtures("submission")
def test_applying_too_early_or_after_cancelling_is_a_conflict(grace: httpx.Client) -> None:
    path = f"{PATH}/{begin(grace)['id']}"

    early = grace.post(f"{path}/apply")
    cancelled = grace.post(f"{path}/cancel").json()
    late = grace.post(f"{path}/apply")

    assert (early.status_code, late.status_code) == (HTTPStatus.CONFLICT, HTTPStatus.CONFLICT)
    assert "1 of 1 submissions are not judged yet" in early.json()["detail"]
    assert cancelled["state"] == "cancelled"


@pytest.mark.parametrize(
    "body", [{"chosen": {}}, {"chosen": {"user": "grace"}}, {"chosen": {"problem": "x"}, "onto": "next"}]
)
def test_a_choice_of_all_or_of_none_is_refused(grace: httpx.Client, body: dict[str, Any]) -> None:
    assert grace.post(PATH, json=body).status_code == HTTPStatus.UNPROCESSABLE_ENTITY


@pytest.mark.usefixtures("submission")
def test_a_revision_that_is_not_there_is_not_found(grace: httpx.Client) -> None:
    wanted = {"chosen": {"problem": "sums", "revision": 99}}

    for path in ("/rejudging-previews", PATH):
        answer = grace.post(path, json=wanted)

        assert answer.status_code == HTTPStatus.NOT_FOUND
        assert "no revision 99 of 'sums'" in answer.json()["detail"]


@pytest.mark.usefixtures("submission")
def test_one_that_another_has_overtaken_says_so(grace: httpx.Client, database: Database) -> None:
    older, newer = begin(grace), begin(grace)
    judge_again(database)
    grace.post(f"{PATH}/{newer['id']}/apply")

    view = grace.get(f"{PATH}/{older['id']}?wait=10").json()

    assert (older["state"], older["overtaken"]) == ("judging", 0)
    assert (view["state"], view["overtaken"], view["judged"]) == ("overtaken", 1, 1)
    assert grace.post(f"{PATH}/{older['id']}/apply").status_code == HTTPStatus.CONFLICT


def test_another_users_judgings_are_not_shown(signed_in: SignedIn, submission: Submission) -> None:
    answer = signed_in("eve").get(f"/submissions/{submission.id}/judgings")

    assert answer.status_code == HTTPStatus.NOT_FOUND


def test_a_cursor_of_another_list_is_refused(grace: httpx.Client, database: Database) -> None:
    with database.transaction() as session:
        make_judged(session, make_problem(session, "sums"))
    path = f"{PATH}/{begin(grace)['id']}"

    answers = [grace.get(address, params={"cursor": "x" * 30}) for address in (PATH, f"{path}/changes")]

    assert {answer.status_code for answer in answers} == {HTTPStatus.UNPROCESSABLE_ENTITY}
