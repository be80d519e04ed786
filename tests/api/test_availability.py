"""A problem can be listed, unlisted, a draft or withdrawn."""

from http import HTTPStatus

import httpx
import pytest
from sqlalchemy import select

from app.accounts.model import User
from app.audit import AuditEvent
from app.catalog.name import list_named
from app.catalog.publish import publish
from app.database.engine import Database
from app.errors import ProblemNotFound
from app.submissions.draft import Save, save_draft
from app.submissions.query import list_attempted
from tests.catalog.packages import PROBLEM, make_package
from tests.transaction import commit

PATH = "/problems/scaled_sum"
SOURCE = {"source": "def scaled_sum(x, y, scale, options):\n    return 3\n", "mode": "submit"}


@pytest.fixture(autouse=True)
def problem(database: Database) -> None:
    commit(database, publish, make_package())


def change(author: httpx.Client, availability: str) -> None:
    answer = author.patch(PATH, json={"availability": availability})
    assert answer.status_code == HTTPStatus.OK, answer.text
    assert answer.json()["availability"] == availability


def is_listed(client: httpx.Client) -> bool:
    listed = {item["slug"] for item in client.get("/problems").json()["items"]}
    tracks = client.get("/tracks").json()["items"]
    assert bool(tracks) == ("scaled_sum" in listed)
    return "scaled_sum" in listed


def test_an_unlisted_problem_is_in_no_list_and_can_be_solved(author: httpx.Client, ada: httpx.Client) -> None:
    change(author, "unlisted")

    assert not is_listed(ada)
    assert ada.get("/problems?q=scaled").json()["items"] == []
    assert ada.get(PATH).json()["availability"] == "unlisted"
    assert ada.post(f"{PATH}/submissions", json=SOURCE).status_code == HTTPStatus.ACCEPTED


def test_a_draft_exists_for_authors_only(author: httpx.Client, ada: httpx.Client, anyone: httpx.Client) -> None:
    change(author, "draft")

    for client in (ada, anyone):
        assert client.get(PATH).status_code == HTTPStatus.NOT_FOUND
        assert not is_listed(client)
    assert ada.get(f"{PATH}/leaderboard").status_code == HTTPStatus.NOT_FOUND
    assert ada.post(f"{PATH}/submissions", json=SOURCE).status_code == HTTPStatus.NOT_FOUND
    assert author.get(PATH).json()["availability"] == "draft"
    assert author.post(f"{PATH}/submissions", json=SOURCE).status_code == HTTPStatus.ACCEPTED


def test_students_can_not_save_code_for_a_draft(author: httpx.Client, database: Database, ada: httpx.Client) -> None:
    change(author, "draft")

    with database.transaction() as session:
        username = ada.get("/me").json()["username"]
        user_id = session.scalars(select(User.id).where(User.username == username)).one()
        with pytest.raises(ProblemNotFound):
            save_draft(session, Save(user_id=user_id, slug="scaled_sum", source="x = 1", base=None))


def test_lists_of_past_submissions_name_withdrawn_problems(author: httpx.Client, database: Database) -> None:
    author.post(f"{PATH}/submissions", json=SOURCE)
    change(author, "withdrawn")

    with database.transaction() as session:
        emmy = session.scalars(select(User.id).where(User.username == "emmy")).one()

        assert [problem.slug for problem in list_attempted(session, emmy)] == ["scaled_sum"]
        assert [problem.slug for problem in list_named(session)] == ["scaled_sum"]


def test_a_withdrawn_problem_can_be_read_and_keeps_submissions(author: httpx.Client, ada: httpx.Client) -> None:
    sent = ada.post(f"{PATH}/submissions", json=SOURCE).json()["id"]
    change(author, "withdrawn")

    refused = ada.post(f"{PATH}/submissions", json=SOURCE)

    assert refused.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "is withdrawn and takes no new submissions" in refused.text
    assert ada.get(PATH).json()["availability"] == "withdrawn"
    assert ada.get(f"/submissions/{sent}").status_code == HTTPStatus.OK
    assert [row["id"] for row in ada.get("/submissions").json()["items"]] == [sent]
    assert not is_listed(ada)


def test_the_audit_log_records_changes_of_availability(
    author: httpx.Client, anyone: httpx.Client, database: Database
) -> None:
    change(author, "withdrawn")
    change(author, "listed")

    assert is_listed(anyone)
    with database.transaction() as session:
        query = select(AuditEvent).where(AuditEvent.action == "problem.availability_changed").order_by(AuditEvent.id)
        first, second = session.scalars(query)
        emmy = session.scalars(select(User.id).where(User.username == "emmy")).one()
        assert (first.target, first.before, first.after) == (
            "scaled_sum",
            {"availability": "listed"},
            {"availability": "withdrawn"},
        )
        assert second.actor_id == emmy


def test_a_new_revision_does_not_list_a_withdrawn_problem(
    author: httpx.Client, anyone: httpx.Client, database: Database
) -> None:
    change(author, "withdrawn")
    commit(database, publish, make_package("scaled_sum", PROBLEM.replace("Add up a vector", "Sum up a vector")))

    assert not is_listed(anyone)
