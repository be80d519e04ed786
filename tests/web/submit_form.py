"""A student's submission, sent by the form of the problem's page."""

from http import HTTPStatus

from fastapi.testclient import TestClient

from app.database.engine import Database
from tests.web.judged import all_right, judge

PAGE = "/problems/scaled_sum"
SOURCE = "def scaled_sum(x, y, scale, options):\n    return x.sum() * scale\n"


def submit(client: TestClient, source: str = SOURCE, mode: str = "submit") -> str:
    """Return the path of the submission's page."""
    answer = client.post(f"{PAGE}/submissions", data={"source": source, "mode": mode})
    assert answer.status_code == HTTPStatus.SEE_OTHER
    return str(answer.headers["location"])


def solve(client: TestClient, database: Database) -> str:
    """Submit, and judge the submission as accepted. Return the path of its page."""
    path = submit(client)
    judge(database, *all_right())
    return path
