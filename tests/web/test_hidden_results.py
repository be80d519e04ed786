"""While an assignment hides results, a right and a wrong hand-in look the same at every address, for everyone."""

import io
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from fastapi.routing import iter_route_contexts
from fastapi.testclient import TestClient
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.session import start_session
from app.accounts.token import create_token
from app.catalog.model import IS_CURRENT, Problem, Revision
from app.courses.model import Assignment, Shows
from app.database.engine import Database
from app.judging.leaf import Tree
from app.judging.report import AnswerFault
from app.judging.verdicts import CaseResult, Phase, Verdict
from app.queue.route import Route
from app.submissions.judging_record import record_phases
from app.submissions.model import Judging, Submission
from app.submissions.solved import recount
from app.submissions.submit import enqueue
from app.web.router import build_router
from app.web.visit import COOKIE
from tests.api.operations import OPERATIONS
from tests.factories import (
    make_assignment,
    make_course,
    make_judging,
    make_measurement,
    make_member,
    make_reference_measurement,
    make_submission,
    make_user,
)
from tests.web.judged import RIGHT, all_right, answered, end, failed, record, take
from tests.web.submit_form import SOURCE

FALSE: Tree = np.array(8, np.float32)
NOW = datetime.now(UTC)
DAY = timedelta(days=1)
CLOSED = {"opens_at": NOW - 9 * DAY, "due_at": NOW - DAY}
# What differs between two answers to one request, whatever was judged.
NOISE = re.compile(
    r"\d{4}-\d\d-\d\d[T_ ]\d\d[:-]\d\d([:-]\d\d(\.\d+)?)?|\d\d? [A-Z][a-z]{2} \d{4},? \d\d:\d\d"
    r'|nonce-[\w-]+|(?<=["=])[\w-]{22}(?=["&])'
)
# Addresses with variants that ask for verdicts and states.
QUERIES = {
    "/api/v1/submissions": [
        *(f"?state={state}" for state in ("queued", "judging", "done")),
        *(f"?verdict={verdict}" for verdict in Verdict),
    ],
    "/api/v1/problems": [f"?state={state}" for state in ("new", "tried", "solved")],
    "/api/v1/submissions/{submission_id}": ["?wait=1"],
    "/api/v1/submissions/{submission_id}/events": ["?progress=true"],
    "/submissions": [f"?verdict={verdict}" for verdict in Verdict],
    "/submissions/{submission_id}/diff": ["?view=split"],
    "/problems": ["?state=solved", "?state=tried", "?order=least_solved"],
    "/problems/{slug}": ["?assignment=none"],
    "/tracks": ["/basics"],
    "/problems/{slug}/leaderboard": ["?by=memory"],
}
# Of the process and its files, and when a token was last used.
OTHERS = {"/account", "/static/{name:path}", "/healthz", "/readyz", "/metrics"}


# What tells a student the result, once it is shown.
SHOWN = (
    "/",
    "/me",
    "/submissions",
    "/submissions?verdict=accepted",
    "/submissions/{submission_id}",
    "/submissions/{submission_id}/result",
    "/submissions/{submission_id}/diff",
    "/problems/{slug}",
    "/courses/{course}/assignments/{assignment}",
    "/api/v1/me/statistics",
    "/api/v1/submissions",
    "/api/v1/submissions?verdict=accepted",
    "/api/v1/submissions/{submission_id}",
    "/api/v1/problems?state=solved",
)


@pytest.fixture
def submission_id(app: object, database: Database) -> UUID:  # noqa: ARG001
    """A hand-in of ada's. Five others have solved the problem, so that its solve rate is shown."""
    with database.transaction() as session:
        revision = session.scalars(select(Revision).join(Problem, IS_CURRENT).where(Problem.slug == "scaled_sum")).one()
        make_reference_measurement(session, revision.id, 2.0)
        course, ada = make_course(session, "here"), make_user(session, "ada")
        ada.is_ranked = True
        make_member(session, course, ada)
        make_member(session, course, make_user(session, "bob"))
        make_user(session, "emmy", role="author")
        for _ in range(5):
            judging = make_judging(session, make_submission(session, None, revision).id, verdict="accepted", score=100)
            make_measurement(session, judging, 2.0)
        assignment = make_assignment(session, course, revision, slug="homework", title="Homework")
        submission = make_submission(session, ada, revision)
        submission.assignment_id, submission.source = assignment.id, SOURCE
        submission.idempotency_key = "key"
        return submission.id


Outcome = Callable[[Database, UUID], None]


def right(database: Database, submission_id: UUID) -> None:
    claim = take(database)
    phases = [Phase(name="queued", seconds=1.0), Phase(name="running", seconds=9.5), Phase(name="again", seconds=2.0)]
    with database.transaction() as session:
        record_phases(session, claim, phases)
    record(database, claim, *all_right())
    end(database, claim, *all_right())
    with database.transaction() as session:
        judging = session.scalars(select(Judging).where(Judging.submission_id == submission_id)).one()
        make_measurement(session, judging, 1.0)


def wrong(database: Database, _: UUID) -> None:
    results = (answered(0, RIGHT), answered(1, FALSE), not_run(2))
    claim = take(database)
    record(database, claim, *results[:2])
    end(database, claim, *results, hint="You forgot the scale.")


def crashed(database: Database, _: UUID) -> None:
    fault = AnswerFault(category="killed", message="The process was killed.")
    end(database, take(database), answered(0, RIGHT), failed(1, Verdict.RUNTIME_ERROR, fault), not_run(2))


def running(database: Database, _: UUID) -> None:
    record(database, take(database), answered(0, RIGHT), answered(1, RIGHT))


def waiting(database: Database, _: UUID) -> None:
    """No worker has it."""


def not_run(position: int) -> CaseResult:
    return failed(position, Verdict.RUNTIME_ERROR, AnswerFault(category="not run", message="An earlier case failed."))


def list_addresses() -> Iterator[str]:
    pages = [
        each.path for each in iter_route_contexts(build_router().routes) if each.path and "GET" in (each.methods or ())
    ]
    for path in [*pages, *(each.path for each in OPERATIONS if each.method == "GET")]:
        if path not in OTHERS:
            yield path
            yield from (f"{path}{query}" for query in QUERIES.get(path, ()))


class Look:
    """Everything that a user can read, and what the requests about the hand-in answer."""

    def __init__(self, client: TestClient, session: Session, submission_id: UUID) -> None:
        self.client = client
        users = {user.username: user for user in session.scalars(select(User))}
        names = ("ada", "bob", "emmy")
        self.cookies = {name: {COOKIE: start_session(session, users[name].id)} for name in names}
        tokens = {name: create_token(session, users[name].id, "test").secret for name in names}
        self.headers = {name: {"Authorization": f"Bearer {token}"} for name, token in tokens.items()}
        values = dict.fromkeys(("secret", "token", "name"), "x")
        values |= {"slug": "scaled_sum", "course": "here", "assignment": "homework", "number": "1", "track": "basics"}
        self.values = values | {"submission_id": str(submission_id)}

    def read(self, addresses: Iterable[str]) -> dict[str, str]:
        found = {}
        for address in addresses:
            is_of_all = re.search("problem|track|^/$", address)
            for name in ("ada", "bob", "emmy") if is_of_all else ("ada",):
                path = re.sub(r"{(\w+)[^}]*}", lambda part: self.values.get(part[1], str(UUID(int=0))), address)
                found[f"{name} {address}"] = self._send(name, "GET", path)
        return found | {
            f"ada {method} {path}": self._send("ada", method, path, **body) for method, path, body in self._changes()
        }

    def _changes(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Requests that a student would try, none of which changes anything."""
        hand_in, api = f"/submissions/{self.values['submission_id']}", "/api/v1"
        yield "POST", f"{api}{hand_in}/cancel", {}
        yield "POST", f"{hand_in}/cancel", {}
        yield "POST", f"{hand_in}/sharing", {"data": {"is_shared": "true"}}
        yield "POST", f"{api}/problems/scaled_sum/submissions", {"json": {"source": SOURCE, "assignment": "none"}}
        yield "POST", "/problems/scaled_sum/submissions", {"data": {"source": SOURCE, "mode": "submit"}}
        yield "POST", "/account/export", {}

    def _send(self, name: str, method: str, path: str, **body: Any) -> str:
        self.client.cookies.clear()
        self.client.headers["X-Request-ID"] = "same"
        if path.startswith("/api/"):
            answer = self.client.request(method, path, headers=self.headers[name], **body)
        else:
            self.client.cookies.update(self.cookies[name])
            answer = self.client.request(method, path, **body)
        told = answer.text
        if answer.headers.get("content-type") == "application/zip":
            with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
                told = "".join(
                    f"{file}\n{archive.read(file).decode()}" for file in archive.namelist() if file != "audit.json"
                )
        return NOISE.sub("…", f"{answer.status_code} {answer.headers.get('location')}\n{told}")


def read_after(
    outcome: Outcome, look: Look, database: Database, submission_id: UUID, addresses: Iterable[str] = ()
) -> dict[str, str]:
    with database.transaction() as session:
        session.execute(delete(Judging).where(Judging.submission_id == submission_id))
        enqueue(session, session.get_one(Submission, submission_id), Route("cpu"))
    outcome(database, submission_id)
    with database.transaction() as session:
        recount(session)
    return look.read(addresses or list_addresses())


@pytest.mark.parametrize(
    ("shows", "others", "dates"),
    [
        pytest.param("samples", (wrong,), {}, id="samples, open"),
        pytest.param("samples", (running,), {}, id="samples, open, running", marks=pytest.mark.whole),
        pytest.param("nothing", (crashed, waiting), CLOSED, id="nothing, closed", marks=pytest.mark.whole),
        pytest.param("samples", (wrong, running), CLOSED, id="samples, closed", marks=pytest.mark.whole),
        pytest.param("nothing", (crashed, waiting), {}, id="nothing, open", marks=pytest.mark.whole),
    ],
)
def test_a_right_and_a_wrong_hand_in_look_the_same_everywhere(
    anyone: TestClient,
    database: Database,
    submission_id: UUID,
    shows: Shows,
    others: tuple[Outcome, ...],
    dates: dict[str, datetime],
) -> None:
    with database.transaction() as session:
        hiding = {"shows": shows, "shows_at": NOW + DAY, **dates}
        session.execute(update(Assignment).values(hiding | ({"closes_at": dates["due_at"]} if dates else {})))
        look = Look(anyone, session, submission_id)

    accepted = read_after(right, look, database, submission_id)
    assert "Homework shows" in accepted["ada /submissions/{submission_id}"]
    assert accepted[f"ada POST /submissions/{submission_id}/cancel"].startswith("409")
    for outcome in others:
        shown = read_after(outcome, look, database, submission_id)
        assert [door for door in shown if shown[door] != accepted[door]] == []


def test_the_same_addresses_tell_results_that_are_shown(
    anyone: TestClient, database: Database, submission_id: UUID
) -> None:
    """Else the test above would compare too little."""
    with database.transaction() as session:
        session.execute(update(Assignment).values(shows="all", closes_at=CLOSED["due_at"], **CLOSED))
        look = Look(anyone, session, submission_id)

    accepted = read_after(right, look, database, submission_id, SHOWN)
    shown = read_after(wrong, look, database, submission_id, SHOWN)

    doors = [f"ada {address}" for address in SHOWN]
    assert [door for door in doors if shown[door] == accepted[door]] == []
