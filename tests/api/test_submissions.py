import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.accounts.model import User, serialise_requests
from app.accounts.permission import Viewer
from app.accounts.token import Bounds, create_token, find_viewer_by_token
from app.database.engine import Database
from app.errors import LimitReached
from app.limits import ConcurrencyLimit
from app.submissions.queue_wait import FRESH_SECONDS, SHORT
from tests.api.conftest import SignedIn
from tests.api.lease_steps import end, record, take
from tests.factories import make_judging, make_problem, make_user, make_worker
from tests.queue.fleet import count_lock_waits, wait_until
from tests.submissions.test_forecast import make_done

PATH = "/problems/running_mean/submissions"
SOURCE = "def solve(x):\n    return x\n"


@pytest.fixture(autouse=True)
def problem(database: Database) -> None:
    with database.transaction() as session:
        make_problem(session, "running_mean")


def is_full(limit: ConcurrencyLimit) -> bool:
    try:
        limit.check()
    except LimitReached:
        return True
    return False


def fill_queue(database: Database) -> None:
    """Fill the queue, so that a new submission would wait too long."""
    with database.transaction() as session:
        make_worker(session, "cpu")
        make_done(session, make_problem(session), 60)
        for _ in range(SHORT + 1):
            make_judging(session, queued_at=func.now() - timedelta(hours=1))


def note_lookups(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list of the tokens that requests look up from now on."""
    looked_up: list[str] = []

    def find_noting(session: Session, secret: str) -> Viewer | None:
        looked_up.append(secret)
        return find_viewer_by_token(session, secret)

    monkeypatch.setattr("app.api.dependency.find_viewer_by_token", find_noting)
    return looked_up


def submit(client: httpx.Client, **changes: Any) -> httpx.Response:
    headers = changes.pop("headers", {})
    return client.post(PATH, json={"source": SOURCE} | changes, headers=headers)


def test_a_submission_is_taken_and_its_results_stand_where_location_says(ada: httpx.Client, database: Database) -> None:
    taken = submit(ada)
    assert taken.status_code == 202
    queued = ada.get(httpx.URL(taken.headers["location"]).path.removeprefix("/api/v1"))

    claim = take(database)
    record(database, claim, 0)
    judging = ada.get(f"/submissions/{taken.json()['id']}").json()
    end(database, claim, cases=2)
    done = ada.get(f"/submissions/{taken.json()['id']}").json()

    assert queued.json().keys() == {
        "id", "problem", "title", "revision", "digest", "mode", "parameters", "case_names", "created_at", "inputs",
        "state", "verdict", "score", "parts", "cases", "times", "notice", "hint", "hint_pending", "wait", "phases",
        "withheld", "is_again", "is_interpreted",
    }  # fmt: skip
    assert (queued.json()["problem"], queued.json()["state"]) == ("running_mean", "queued")
    assert (judging["state"], judging["verdict"], len(judging["cases"])) == ("judging", None, 1)
    assert (done["state"], done["verdict"], done["score"], len(done["cases"])) == ("done", "accepted", 100, 2)
    assert done["cases"][0] == {
        "name": "case_0",
        "visibility": "sample",
        "verdict": "accepted",
        "wall_seconds": 0.25,
        "memory_bytes": 1024,
        "report": {"category": None},
    }


@pytest.mark.parametrize(
    ("changes", "field", "advice"),
    [
        ({"source": ""}, "source", "send the Python code of your solution"),
        ({"source": None}, "source", "is null: should be a valid string"),
        ({"mode": "exam"}, "mode", "is \"exam\": should be 'submit' or 'sample'"),
        ({"language": "python"}, "language", "is not a field of this request. Remove it"),
        ({"headers": {"Idempotency-Key": "k" * 256}}, "idempotency_key", "1 to 255 printable ASCII characters"),
    ],
)
def test_a_submission_that_can_not_be_judged_is_refused_with_what_to_do(
    ada: httpx.Client, changes: dict[str, Any], field: str, advice: str
) -> None:
    refused = submit(ada, **changes)

    assert refused.status_code == 422
    (fault,) = refused.json()["errors"]
    assert fault["field"] == field
    assert advice in fault["message"]


def test_the_largest_source_is_taken_however_it_is_escaped(ada: httpx.Client) -> None:
    assert submit(ada, source="#" + "\U0001f600" * (64 * 1024 - 1)).status_code == 202


@pytest.mark.parametrize("policy", [{"max_pending": 2}], indirect=True)
def test_a_user_with_too_many_unfinished_submissions_is_refused_with_the_wait(ada: httpx.Client) -> None:
    answers = [submit(ada) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [202, 202, 429]
    assert "2 of your submissions are not judged yet" in answers[-1].json()["detail"]
    assert int(answers[-1].headers["retry-after"]) > 0


def test_submissions_of_a_user_that_wait_for_a_lock_delay_no_other_user(
    ada: httpx.Client, signed_in: SignedIn, database: Database
) -> None:
    grace = signed_in("grace")
    with ThreadPoolExecutor() as threads:
        with database.transaction() as session:
            user = session.scalars(select(User).where(User.username == "ada")).one()
            serialise_requests(session, user.id)
            waiting = [threads.submit(submit, ada) for _ in range(4)]
            wait_until(lambda: count_lock_waits(database))
            others = submit(grace)
            still_waiting = not any(each.done() for each in waiting)
        answers = [each.result() for each in waiting]

    assert (others.status_code, still_waiting) == (202, True)
    assert [answer.status_code for answer in answers] == [202] * 4


def test_a_full_queue_refuses_before_a_submission_takes_a_turn(
    ada: httpx.Client, app: FastAPI, database: Database
) -> None:
    fill_queue(database)
    app.state.limits.submissions = ConcurrencyLimit("submissions", at_once=1, most=0)

    refused = submit(ada)
    with_key = submit(ada, headers={"Idempotency-Key": "once"})

    assert (refused.status_code, with_key.status_code) == (429, 429)
    assert "would wait 26 min, and the limit is 10 min" in refused.json()["detail"]
    assert int(refused.headers["retry-after"]) > 900
    assert "Too many submissions at the same time; the limit is 0" in with_key.json()["detail"]


def test_a_full_queue_refuses_a_known_token_without_reading_the_body_or_the_token_again(
    ada: httpx.Client, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.transaction() as session:
        bounds = Bounds(scopes=["submissions:read", "account:read"])
        reader = create_token(session, make_user(session, "grace").id, "reads", bounds).secret
    as_reader = {"Authorization": f"Bearer {reader}"}
    for headers in ({}, as_reader):
        assert ada.get("/me", headers=headers).status_code == 200
    fill_queue(database)
    looked_up = note_lookups(monkeypatch)

    refused = [ada.post(PATH, content=b"{") for _ in range(2)]

    assert [answer.status_code for answer in refused] == [429, 429]
    assert "would wait 26 min, and the limit is 10 min" in refused[0].json()["detail"]
    assert int(refused[0].headers["retry-after"]) > 900
    left = [int(answer.headers["x-ratelimit-remaining"]) for answer in refused]
    assert left[0] - left[1] == 1
    assert all("x-ratelimit-limit" in answer.headers and "x-ratelimit-reset" in answer.headers for answer in refused)
    assert looked_up == []
    # Other requests keep their answers.
    assert submit(ada, headers=as_reader).status_code == 403
    assert submit(ada, headers={"Authorization": "Bearer unknown"}).status_code == 401
    assert ada.get("/me").status_code == 200
    assert len(looked_up) == 3


def test_a_submission_that_was_admitted_is_kept_if_the_queue_fills_while_it_waits_for_its_turn(
    ada: httpx.Client, signed_in: SignedIn, app: FastAPI, database: Database
) -> None:
    app.state.limits.stored_submissions = ConcurrencyLimit("submissions", at_once=1)
    grace, late = signed_in("grace"), signed_in("late")
    waiting = app.state.limits.submissions = ConcurrencyLimit("submissions", at_once=2, most=2)
    with ThreadPoolExecutor() as threads:
        with database.transaction() as session:
            user = session.scalars(select(User).where(User.username == "ada")).one()
            serialise_requests(session, user.id)
            first = threads.submit(submit, ada)
            wait_until(lambda: count_lock_waits(database))
            second = threads.submit(submit, grace)
            wait_until(lambda: is_full(waiting))
            fill_queue(database)
            time.sleep(FRESH_SECONDS)
            third = submit(late)
        answers = first.result(), second.result(), third

    assert [answer.status_code for answer in answers] == [202, 202, 429]
    assert "would wait" in answers[2].json()["detail"]
    assert int(answers[2].headers["retry-after"]) > 0
    assert "x-ratelimit-remaining" in answers[2].headers


def test_submissions_that_wait_for_another_one_of_their_user_count_as_waiting(
    ada: httpx.Client, signed_in: SignedIn, app: FastAPI, database: Database
) -> None:
    grace = signed_in("grace")
    waiting = app.state.limits.submissions = ConcurrencyLimit("submissions", at_once=2, most=2)
    app.state.queue_waits.read()  # until then, anything may be a hand-in
    with ThreadPoolExecutor() as threads:
        with database.transaction() as session:
            user = session.scalars(select(User).where(User.username == "ada")).one()
            serialise_requests(session, user.id)
            own = [threads.submit(submit, ada) for _ in range(2)]
            wait_until(lambda: is_full(waiting))
            refused = submit(grace)
        answers = [each.result() for each in own]

    assert refused.status_code == 429
    assert "Too many submissions at the same time; the limit is 2" in refused.json()["detail"]
    assert [answer.status_code for answer in answers] == [202, 202]
    assert submit(grace).status_code == 202


def test_cancelling_ends_a_submission_at_once_and_leaves_one_that_is_done(
    ada: httpx.Client, database: Database
) -> None:
    stopped, judged = (submit(ada).json()["id"] for _ in range(2))

    first = ada.post(f"/submissions/{stopped}/cancel")
    again = ada.post(f"/submissions/{stopped}/cancel")
    end(database, take(database), cases=1)
    late = ada.post(f"/submissions/{judged}/cancel")

    assert (first.status_code, first.json()["state"], first.json()["verdict"]) == (200, "done", "cancelled")
    assert again.json() == first.json()
    assert late.json()["verdict"] == "accepted"
