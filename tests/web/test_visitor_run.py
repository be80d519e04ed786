"""Running the samples of a problem without an account."""

from http import HTTPStatus
from uuid import uuid4

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.database.engine import Database
from tests.factories import make_submission
from tests.web.judged import all_right, judge
from tests.web.submit_form import PAGE, SOURCE

OFF = pytest.mark.parametrize("policy", [{"visitor_runs": "off"}], indirect=True)


def run(client: TestClient, source: str = SOURCE, **headers: str) -> str:
    """The path of the run's page."""
    answer = client.post(f"{PAGE}/visitor-runs", data={"source": source, "mode": "sample"}, headers=headers)
    assert answer.status_code == HTTPStatus.SEE_OTHER, answer.text
    return str(answer.headers["location"])


def test_a_visitor_runs_the_samples_and_sees_the_result_without_scripts(anyone: TestClient, database: Database) -> None:
    assert f'action="{PAGE}/visitor-runs"' in anyone.get(PAGE).text
    path = run(anyone)
    waiting = anyone.get(path).text
    judge(database, *all_right()[:1])

    page = anyone.get(path).text

    assert 'http-equiv="refresh"' in waiting
    assert f'action="{path}/cancel"' in waiting
    assert "Sample cases passed" in page
    assert "Sample cases passed" in anyone.get(f"{path}/result").text
    assert 'http-equiv="refresh"' not in page


def test_the_event_stream_of_a_run_ends_with_its_result(anyone: TestClient, database: Database) -> None:
    path = run(anyone)
    judge(database, *all_right()[:1])

    stream = anyone.get(f"{path}/events").text

    assert "Sample cases passed" in stream
    assert "event: done" in stream


def test_a_visitor_cancels_a_run(anyone: TestClient) -> None:
    path = run(anyone)

    anyone.post(f"{path}/cancel")

    assert "Cancelled" in anyone.get(path).text


def test_a_second_run_of_a_network_says_what_to_do_and_keeps_the_code(anyone: TestClient, app: FastAPI) -> None:
    run(anyone)
    other = TestClient(app, client=("192.0.2.7", 1), follow_redirects=False)
    run(other)

    answer = anyone.post(f"{PAGE}/visitor-runs", data={"source": "x = 'mine'", "mode": "sample"})

    assert answer.status_code == HTTPStatus.TOO_MANY_REQUESTS
    assert "A run from your network is still being judged. Wait for its result, or sign in." in answer.text
    assert "x = &#39;mine&#39;" in answer.text


@OFF
def test_a_policy_turns_runs_without_an_account_off(anyone: TestClient) -> None:
    page, answer = anyone.get(PAGE).text, anyone.post(f"{PAGE}/visitor-runs", data={"source": SOURCE})

    assert "Run samples" not in page
    assert "visitor-runs" not in page
    assert answer.headers["location"] == f"/sign-in?next={PAGE}"


def test_a_run_that_is_deleted_or_a_submission_of_a_user_is_not_found(anyone: TestClient, database: Database) -> None:
    with database.transaction() as session:
        submission = make_submission(session).id

    for run_id in (uuid4(), submission):
        for part in ("", "/result", "/events"):
            answer = anyone.get(f"/visitor-runs/{run_id}{part}")

            assert answer.status_code == HTTPStatus.NOT_FOUND
            assert "This result is deleted" in answer.text
        assert anyone.post(f"/visitor-runs/{run_id}/cancel").status_code == HTTPStatus.NOT_FOUND


def test_code_that_is_too_long_without_an_account_says_so(anyone: TestClient) -> None:
    answer = anyone.post(f"{PAGE}/visitor-runs", data={"source": "x" * 70_000, "mode": "sample"})

    assert answer.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    assert "Send shorter code, or sign in." in answer.text


def test_an_admin_reads_no_run_of_a_visitor(admin: TestClient) -> None:
    run_id = run(admin).rpartition("/")[2]

    assert admin.get(f"/submissions/{run_id}").status_code == HTTPStatus.NOT_FOUND
    assert run_id not in admin.get("/admin/submissions").text
    assert "Visitors' runs on cpu" in admin.get("/admin/queue").text.replace("&#39;", "'")
