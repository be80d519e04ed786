"""Batches: each submission is made or refused by itself, and one request waits for all of them."""

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import httpx
import pytest
from sqlalchemy import func, select

from app.database.engine import Database
from app.submissions.model import Submission
from tests.api.conftest import SignedIn
from tests.api.lease_steps import end, take
from tests.factories import make_problem

SOURCE = "def solve(x):\n    return x\n"
GOOD = {"problem": "running_mean", "source": SOURCE}


@pytest.fixture(autouse=True)
def problems(database: Database) -> None:
    with database.transaction() as session:
        make_problem(session, "running_mean")
        make_problem(session, "running_sum")


def send(client: httpx.Client, *submissions: dict[str, Any], key: str | None = None) -> httpx.Response:
    headers = {"Idempotency-Key": key} if key else {}
    return client.post("/submissions/batch", json={"submissions": submissions}, headers=headers)


def made(answer: httpx.Response) -> list[str]:
    return [item["submission"]["id"] for item in answer.json()["items"] if item["submission"]]


def codes(answer: httpx.Response) -> list[str | None]:
    return [item["error"] and item["error"]["code"] for item in answer.json()["items"]]


def count_submissions(database: Database) -> int:
    with database.transaction() as session:
        return session.scalars(select(func.count()).select_from(Submission)).one()


def test_each_submission_is_made_or_refused_by_itself(ada: httpx.Client, database: Database) -> None:
    answer = send(
        ada,
        GOOD,
        {"problem": "unknown", "source": SOURCE},
        {"problem": "running_mean", "source": " "},
        {"problem": "running_mean", "source": SOURCE, "inputs": "x: 1"},
        {"problem": "running_sum", "source": SOURCE, "mode": "sample"},
    )

    assert answer.status_code == 201
    assert codes(answer) == [None, "problem_not_found", "invalid", "invalid", None]
    first = answer.json()["items"][0]
    assert (first["submission"]["state"], first["error"]) == ("queued", None)
    blank = answer.json()["items"][2]["error"]
    assert (blank["status"], blank["errors"][0]["field"]) == (422, "source")
    assert count_submissions(database) == 2


def test_text_that_is_not_unicode_refuses_one_submission(ada: httpx.Client) -> None:
    strange = rb'"x\ud800"'
    wanted = [
        rb'{"problem": "running_mean", "source": %s}' % strange,
        rb'{"problem": %s, "source": "x = 1"}' % strange,
        rb'{"problem": "running_mean", "source": "x = 1", "mode": "sample", "inputs": %s}' % strange,
        rb'{"problem": "running_mean", "source": "x = 1"}',
    ]
    body = b'{"submissions": [' + b", ".join(wanted) + b"]}"

    answer = ada.post("/submissions/batch", content=body, headers={"Content-Type": "application/json"})

    assert answer.status_code == 201
    assert [code is None for code in codes(answer)] == [False, False, False, True]


def test_location_names_the_submissions_in_their_order(ada: httpx.Client) -> None:
    answer = send(ada, GOOD, {"problem": "running_sum", "source": SOURCE}, {"problem": "unknown", "source": SOURCE})

    read = ada.get(answer.headers["location"].removeprefix("/api/v1"))

    assert [item["id"] for item in read.json()["items"]] == made(answer)
    assert [item["problem"] for item in read.json()["items"]] == ["running_mean", "running_sum"]


def test_a_batch_without_any_good_submission_is_the_error_of_the_first(ada: httpx.Client, database: Database) -> None:
    answer = send(ada, {"problem": "unknown", "source": SOURCE}, {"problem": "running_mean", "source": ""})

    assert (answer.status_code, answer.json()["code"]) == (404, "problem_not_found")
    assert count_submissions(database) == 0


@pytest.mark.parametrize(
    ("submissions", "field"),
    [
        ([], "submissions"),
        ([GOOD] * 51, "submissions"),
        ([GOOD, {"problem": "running_mean"}], "submissions/1/source"),
        ([GOOD, GOOD | {"mode": "exam"}], "submissions/1/mode"),
        ([GOOD | {"language": "python"}], "submissions/0/language"),
    ],
)
def test_a_batch_of_another_shape_is_refused_as_a_whole(
    ada: httpx.Client, database: Database, submissions: list[dict[str, Any]], field: str
) -> None:
    answer = send(ada, *submissions)

    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert count_submissions(database) == 0


@pytest.mark.parametrize("policy", [{"max_pending": 3}], indirect=True)
def test_each_submission_counts_towards_the_quota(ada: httpx.Client) -> None:
    first, second = send(ada, *[GOOD] * 5), send(ada, GOOD)

    assert codes(first) == [None] * 3 + ["limit_reached"] * 2
    assert first.json()["items"][3]["error"]["retry_after"] >= 1
    assert second.status_code == 429
    assert int(second.headers["retry-after"]) >= 1


@pytest.mark.parametrize("policy", [{"max_pending": 50}], indirect=True)
def test_fifty_submissions_at_once_are_all_made_and_read(ada: httpx.Client) -> None:
    answer = send(ada, *[GOOD] * 50)

    read = ada.get(answer.headers["location"].removeprefix("/api/v1"))

    assert len(set(made(answer))) == 50
    assert [item["id"] for item in read.json()["items"]] == made(answer)


def test_the_same_key_with_the_same_batch_acts_once_even_at_once(ada: httpx.Client, database: Database) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: send(ada, GOOD, GOOD, key="once"), range(8)))

    assert {answer.status_code for answer in answers} == {201}
    assert len({tuple(made(answer)) for answer in answers}) == 1
    assert count_submissions(database) == 2


@pytest.mark.parametrize("policy", [{"max_pending": 1}], indirect=True)
def test_the_same_key_makes_what_was_refused_before(ada: httpx.Client, database: Database) -> None:
    first = send(ada, GOOD, GOOD, key="again")
    end(database, take(database))

    second = send(ada, GOOD, GOOD, key="again")

    assert codes(first) == [None, "limit_reached"]
    assert codes(second) == [None, None]
    assert made(second)[0] == made(first)[0]
    assert count_submissions(database) == 2


@pytest.mark.parametrize(
    "other",
    [
        [{"problem": "running_sum", "source": SOURCE}, GOOD],
        [GOOD],
        [{"problem": "unknown", "source": SOURCE}, GOOD, GOOD],
        [GOOD, GOOD | {"source": "x = 2"}],
    ],
)
def test_the_same_key_with_another_batch_is_a_conflict(
    ada: httpx.Client, signed_in: SignedIn, database: Database, other: list[dict[str, Any]]
) -> None:
    send(ada, {"problem": "unknown", "source": SOURCE}, GOOD, key="once")

    refused, of_another_user = send(ada, *other, key="once"), send(signed_in("grace"), GOOD, key="once")

    assert (refused.status_code, of_another_user.status_code) == (409, 201)
    assert count_submissions(database) == 2


def test_a_key_of_a_batch_and_of_a_single_submission_are_apart(ada: httpx.Client) -> None:
    batch = send(ada, GOOD, key="same")
    single = ada.post(
        "/problems/running_mean/submissions", json={"source": SOURCE}, headers={"Idempotency-Key": "same"}
    )

    assert (batch.status_code, single.status_code) == (201, 202)
    assert single.json()["id"] not in made(batch)


def test_only_a_user_who_may_see_all_submissions_may_read_the_batch(ada: httpx.Client, signed_in: SignedIn) -> None:
    ids = made(send(ada, GOOD, GOOD))
    grace, admin = signed_in("grace"), signed_in("root", role="admin")
    own = made(send(grace, GOOD))

    refused = grace.get("/submissions/batch", params={"ids": [*own, *ids]})

    assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
    assert ids[0] in refused.json()["detail"]
    assert ada.get("/submissions/batch", params={"ids": [*ids, str(uuid4())]}).status_code == 404
    assert [item["id"] for item in admin.get("/submissions/batch", params={"ids": ids}).json()["items"]] == ids


@pytest.mark.parametrize("ids", [[], ["nonsense"], [str(uuid4())] * 51])
def test_a_request_for_no_or_too_many_submissions_is_refused(ada: httpx.Client, ids: list[str]) -> None:
    assert ada.get("/submissions/batch", params={"ids": ids}).status_code == 422


def test_a_long_poll_ends_when_the_last_submission_is_done(ada: httpx.Client, database: Database) -> None:
    ids = made(send(ada, GOOD, GOOD, GOOD))
    with ThreadPoolExecutor(1) as pool:
        waiting: Future[httpx.Response] = pool.submit(ada.get, "/submissions/batch", params={"ids": ids, "wait": 30})
        end(database, take(database))
        end(database, take(database))
        soon = ada.get("/submissions/batch", params={"ids": ids, "wait": 1})
        assert not waiting.done()
        end(database, take(database))
        answer = waiting.result()

    assert sorted(item["state"] for item in soon.json()["items"]) == ["done", "done", "queued"]
    assert [(item["id"], item["verdict"]) for item in answer.json()["items"]] == [(id, "accepted") for id in ids]
