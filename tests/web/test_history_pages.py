"""The history of submissions, what changed between two, and the way of one back into the editor."""

import re
from http import HTTPStatus
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient

from app.accounts.session import start_session
from app.database.engine import Database
from app.web.visit import COOKIE
from tests.factories import make_problem, make_user
from tests.web.judged import all_right, judge
from tests.web.submit_form import PAGE, SOURCE, submit

FIRST = "def scaled_sum(x, y, scale, options):\n    return x.sum()\n"


def send(client: TestClient, source: str = SOURCE, mode: str = "submit") -> str:
    """Return the ID of the submission."""
    return submit(client, source, mode).removeprefix("/submissions/")


def become_eve(client: TestClient, database: Database) -> None:
    with database.transaction() as session:
        client.cookies.set(COOKIE, start_session(session, make_user(session, "eve").id))


def shown(page: str) -> list[str]:
    return re.findall(r'name="pick" value="([0-9a-f-]+)"', page)


def test_the_history_is_filtered_by_problem_verdict_and_mode(ada: TestClient, database: Database) -> None:
    accepted = send(ada, SOURCE)
    judge(database, *all_right())
    waiting = send(ada, FIRST, mode="sample")

    page = ada.get("/submissions").text
    assert shown(page) == [waiting, accepted]
    for words in ("Accepted", "In the queue", "100 %", "250 ms", "16 MiB", "Scaled sum"):
        assert words in page
    assert shown(ada.get("/submissions?problem=scaled_sum&verdict=accepted&mode=").text) == [accepted]
    assert shown(ada.get("/submissions?mode=sample").text) == [waiting]
    assert "No matching submissions" in ada.get("/submissions?verdict=wrong_answer").text
    with database.transaction() as session:
        make_problem(session, "other")
    assert "not submitted anything for this problem" in ada.get("/submissions?problem=other").text


def test_the_history_of_an_unknown_problem_is_not_found(ada: TestClient) -> None:
    answer = ada.get("/submissions?problem=another")

    assert answer.status_code == HTTPStatus.NOT_FOUND
    assert "there is no problem" in answer.text.lower()
    assert "another" in answer.text


def test_an_empty_history_says_what_it_is_for(ada: TestClient) -> None:
    assert "You have not submitted anything yet" in ada.get("/submissions").text


@pytest.mark.parametrize("field", ["cursor", "verdict", "mode"])
def test_an_invalid_filter_of_the_history_is_refused(ada: TestClient, field: str) -> None:
    answer = ada.get("/submissions", params={field: "nonsense"})

    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "nonsense" in answer.text


def test_two_selected_submissions_are_compared(ada: TestClient) -> None:
    first, second = send(ada, FIRST), send(ada, SOURCE)

    answer = ada.get(f"/submissions?pick={second}&pick={first}")
    page = ada.get(answer.headers["location"]).text

    assert answer.headers["location"] == f"/submissions/{second}/diff?old={first}"
    assert page.count('<tr class="added">') == page.count('<tr class="removed">') == 1
    assert "Lines added: 1, removed: 1" in page


def test_the_first_submission_is_compared_with_the_starter(ada: TestClient) -> None:
    page = ada.get(f"/submissions/{send(ada, FIRST)}/diff").text

    assert "The starter" in page
    assert "x.sum()" in page


def test_a_selection_other_than_two_submissions_is_refused(ada: TestClient) -> None:
    first, second = send(ada, FIRST), send(ada, SOURCE)

    answer = ada.get(f"/submissions?pick={first}&pick={second}&pick={uuid4()}&problem=scaled_sum")

    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "Select two submissions to compare; you selected 3." in answer.text
    assert len(re.findall("form=.compare. checked", answer.text)) == 2


def test_a_copied_submission_replaces_the_draft_and_keeps_it(ada: TestClient) -> None:
    first = send(ada, FIRST)
    ada.put(f"{PAGE}/draft", json={"source": "typed = 1", "base": None})

    answer = ada.post(f"/submissions/{first}/copy")
    page = ada.get(PAGE).text

    assert answer.headers["location"] == f"{PAGE}#source"
    assert f">\n{FIRST}</textarea>" in page
    assert ada.get(f"{PAGE}/draft/other").json() == {"source": "typed = 1"}
