"""Shared solutions, questions, answers and moderation through REST; what they mean is tested in tests/learning."""

from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import select

from app.accounts.model import User
from app.accounts.token import create_token
from app.audit import AuditEvent
from app.catalog.model import Revision
from app.database.engine import Database
from tests.api.conftest import SignedIn
from tests.hostile_text import HOSTILE, UNSTORABLE
from tests.learning.lessons import make_accepted, publish_lesson

BASE = "/problems/scaled_sum"
QUESTION = {"title": "Why scale?", "body": "```\nSECRET\n```"}


@pytest.fixture
def revision(database: Database) -> Revision:
    with database.transaction() as session:
        return publish_lesson(session)


def solve(database: Database, revision: Revision, username: str) -> UUID:
    with database.transaction() as session:
        user = session.scalars(select(User).where(User.username == username)).one()
        return make_accepted(session, user, revision)


def promote(database: Database, username: str) -> None:
    with database.transaction() as session:
        session.scalars(select(User).where(User.username == username)).one().role = "author"


def test_a_solution_is_shared_read_hidden_and_withdrawn(
    signed_in: SignedIn, database: Database, revision: Revision
) -> None:
    ada, grace, emmy = signed_in("ada"), signed_in("grace"), signed_in("emmy")
    promote(database, "emmy")
    shared = solve(database, revision, "grace")
    path = f"/shared-solutions/{shared}"

    assert grace.put(f"/submissions/{shared}/sharing").status_code == 204
    assert ada.put(f"/submissions/{shared}/sharing").status_code == 404
    assert [ada.get(each).json()["code"] for each in (BASE + "/shared-solutions", path)] == ["solution_locked"] * 2
    solve(database, revision, "ada")
    (listed,) = ada.get(BASE + "/shared-solutions", params={"order": "shortest"}).json()["items"]
    assert (listed["username"], listed["is_own"], listed["ratio"]) == ("grace", False, None)
    assert ada.get(path).json()["source"] == "def solve(): ..."
    assert ada.put(path + "/report", json={"reason": "rude"}).status_code == 204
    assert [client.get("/reports").status_code for client in (ada, grace)] == [403, 403]
    assert ada.post(path + "/decision", json={"decision": "hide"}).status_code == 403
    (report,) = emmy.get("/reports").json()["items"]
    assert (report["reporter"], report["author"], report["submission_id"]) == ("ada", "grace", str(shared))
    assert emmy.post(path + "/decision", json={"decision": "hide"}).status_code == 204
    assert (emmy.get("/reports").json()["items"], ada.get(path).status_code) == ([], 404)
    assert emmy.post(path + "/decision", json={"decision": "show"}).status_code == 204
    assert ada.get(path).status_code == 200
    assert grace.delete(f"/submissions/{shared}/sharing").status_code == 204
    assert (ada.get(path).status_code, ada.get(BASE + "/shared-solutions").json()["items"]) == (404, [])


@pytest.mark.usefixtures("revision")
def test_a_question_is_asked_answered_seen_moderated_and_deleted(signed_in: SignedIn, database: Database) -> None:
    ada, grace, emmy = signed_in("ada"), signed_in("grace"), signed_in("emmy")
    promote(database, "emmy")

    asked = ada.post(BASE + "/questions", json=QUESTION)
    path = f"/questions/{asked.json()['id']}"
    answered = grace.post(path + "/answers", json={"body": "It multiplies.", "is_spoiler": True}).json()["id"]
    assert (asked.status_code, asked.headers["location"]) == (201, f"/api/v1{path}")
    assert "SECRET" not in grace.get(path).text
    thread = ada.get(path).json()
    assert (thread["question"]["body"], thread["answers"][0]["body"]) == (QUESTION["body"], "")
    assert thread["answers"][0]["is_withheld"]
    assert [unread["count"] for unread in ada.get("/me/unread-answers").json()["items"]] == [1]
    assert ada.put(path + "/seen").status_code == 204
    assert ada.get("/me/unread-answers").json()["items"] == []

    post = f"/posts/{answered}"
    edited = {"body": "It scales.", "is_spoiler": False}
    assert [client.put(post, json=edited).status_code for client in (ada, emmy, grace)] == [404, 404, 204]
    too_soon = grace.put(post, json={"body": "It does."})
    assert (too_soon.status_code, 0 < int(too_soon.headers["retry-after"]) <= 10) == (429, True)
    assert ada.get(path).json()["answers"][0]["body"] == ""
    assert emmy.post(post + "/decision", json={"decision": "unmark_spoiler"}).status_code == 204
    assert ada.get(path).json()["answers"][0]["body"] == "It scales."
    assert ada.put(post + "/report", json={"reason": "wrong"}).status_code == 204
    decision = {"decision": "hide"}
    assert [client.post(post + "/decision", json=decision).status_code for client in (ada, emmy)] == [403, 204]
    assert ada.get(path).json()["answers"][0]["username"] is None
    assert emmy.post(post + "/decision", json={"decision": "lock"}).status_code == 409
    assert emmy.post(f"/posts/{asked.json()['id']}/decision", json={"decision": "lock"}).status_code == 204
    assert grace.post(path + "/answers", json={"body": "One more."}).status_code == 409
    assert [client.delete(post).status_code for client in (ada, emmy)] == [404, 404]
    assert ada.delete(f"/posts/{asked.json()['id']}").status_code == 204
    assert ada.get(path).json()["question"]["is_deleted"]
    with database.transaction() as session:
        events = session.scalars(
            select(AuditEvent).where(AuditEvent.target_kind == "post").order_by(AuditEvent.id)
        ).all()
    done = ["post.spoiler_unmarked", "post.hidden", "post.locked"]
    assert [(event.action, event.channel) for event in events] == [(action, "api") for action in done]


@pytest.mark.usefixtures("revision")
def test_refusals_say_what_is_wrong(signed_in: SignedIn) -> None:
    ada = signed_in()
    long = {"title": "t" * 151, "body": "b" * 5001}
    asked = [
        (ada.post(BASE + "/questions", json=long), 422, "limit is 150"),
        (ada.post(BASE + "/questions", json=long), 422, "limit is 5000"),
        (ada.post(BASE + "/questions", json={"title": "", "body": " "}), 422, "title is empty"),
        (ada.post(BASE + "/questions", json={"title": "t", "body": "b", "is_spoiler": "yes"}), 422, "is_spoiler"),
        (ada.post("/problems/nothing/questions", json=QUESTION), 404, "no problem 'nothing'"),
        (ada.get(f"/questions/{uuid4()}"), 404, "no question or answer"),
        (ada.get(BASE + "/shared-solutions", params={"order": "best"}), 422, "order"),
        (ada.get(BASE + "/questions", params={"cursor": "wrong"}), 422, "cursor"),
        *(
            (ada.post(BASE + "/questions", content=f'{{"title": "t", "body": "{quoted}"}}'), 422, "body")
            for quoted in ("\\u0000", "\\ud800")
        ),
    ]

    for answer, status, words in asked:
        assert answer.status_code == status, answer.text
        assert words in answer.text
    assert len(UNSTORABLE) == 2


@pytest.mark.usefixtures("revision")
def test_hostile_texts_come_back_as_they_were_sent(signed_in: SignedIn) -> None:
    ada = signed_in()

    for number, text in enumerate(HOSTILE.values()):
        asked = ada.post(BASE + "/questions", json={"title": f"{number}", "body": f"a {text} b"}).json()["id"]
        assert ada.get(f"/questions/{asked}").json()["question"]["body"] == f"a {text} b"


@pytest.mark.usefixtures("revision")
def test_who_is_not_signed_in_and_a_token_without_the_scope_are_refused(
    anyone: httpx.Client, signed_in: SignedIn, database: Database
) -> None:
    ada = signed_in("ada")
    with database.transaction() as session:
        owner = session.scalars(select(User).where(User.username == "ada")).one()
        new = create_token(session, owner.id, "reads only")
        new.token.scopes = ["submissions:read", "submissions:write"]
    reads = {"Authorization": f"Bearer {new.secret}"}

    paths = (BASE + "/questions", BASE + "/shared-solutions", f"/questions/{uuid4()}", "/reports", "/me/unread-answers")
    assert [anyone.get(path).status_code for path in paths] == [401] * len(paths)
    assert anyone.post(BASE + "/questions", json=QUESTION).status_code == 401
    assert anyone.post(BASE + "/questions", json=QUESTION, headers=reads).status_code == 403
    assert anyone.get(BASE + "/questions", headers=reads).status_code == 200
    assert ada.post(BASE + "/questions", json=QUESTION).status_code == 201


def test_an_admin_turns_discussions_off_and_on_and_nothing_is_lost(
    signed_in: SignedIn, database: Database, revision: Revision
) -> None:
    ada, root = signed_in("ada"), signed_in("root", role="admin")
    shared = solve(database, revision, "ada")
    ada.put(f"/submissions/{shared}/sharing").raise_for_status()
    question = ada.post(BASE + "/questions", json=QUESTION).json()["id"]
    of_discussions = (BASE + "/questions", f"/questions/{question}", "/me/unread-answers")
    of_solutions = (BASE + "/shared-solutions", f"/shared-solutions/{shared}")

    root.patch("/settings", json={"discussions": "off"}).raise_for_status()
    off = [client.get(path) for path in of_discussions for client in (ada, root)]
    off += [ada.put(f"/posts/{question}", json={"title": "a", "body": "b"}), ada.delete(f"/posts/{question}")]
    assert [answer.status_code for answer in off] == [404] * 8
    assert off[0].json()["detail"].startswith("Discussions are turned off on this site.")
    assert [ada.get(path).status_code for path in of_solutions] == [200, 200]

    root.patch("/settings", json={"discussions": "on", "shared_solutions": "off"}).raise_for_status()
    assert [ada.get(path).status_code for path in of_solutions] == [404, 404]
    assert ada.delete(f"/submissions/{shared}/sharing").status_code == 404
    assert [ada.get(path).status_code for path in of_discussions] == [200] * 3
    assert ada.get(f"/questions/{question}").json()["question"]["body"] == QUESTION["body"]

    root.delete("/settings/shared_solutions").raise_for_status()
    assert [ada.get(path).status_code for path in of_solutions] == [200, 200]
