"""The submissions of all users, for admins."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from uuid import UUID

import httpx
import pytest
from sqlalchemy import delete, select, update

from app.accounts.model import User
from app.admin import export
from app.admin import submission as submission_table
from app.admin.submission import SOURCES_AT_A_TIME, each_submission, inspect_judgings
from app.database.engine import Database
from app.submissions.model import Submission
from app.submissions.query import HistoryFilters
from tests.factories import make_judging, make_problem, make_submission, make_user
from tests.rejudging.rows import add_revision


@pytest.fixture
def sent(database: Database) -> dict[str, UUID]:
    """Submissions by name: emmy's is accepted; kay's two run samples only, and the later one is a judge_error."""
    with database.transaction() as session:
        emmy, kay = make_user(session, "emmy"), make_user(session, "kay")
        first, second = make_problem(session, "first"), make_problem(session, "second")
        second.digest = "c0ffee".ljust(64, "0")
        made = {
            "emmy's": make_submission(session, emmy, first),
            "kay's": make_submission(session, kay, first, mode="sample"),
            "broken": make_submission(session, kay, second, mode="sample"),
        }
        verdicts = {"emmy's": "accepted", "kay's": "wrong_answer", "broken": "judge_error"}
        for hours, (name, submission) in enumerate(made.items()):
            make_judging(session, submission.id, verdict=verdicts[name], score=0, reason="attempt 1: lost")
            sent_at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=hours)
            session.execute(update(Submission).where(Submission.id == submission.id).values(created_at=sent_at))
        return {name: submission.id for name, submission in made.items()}


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({}, ["broken", "kay's", "emmy's"]),
        ({"user": "kay"}, ["broken", "kay's"]),
        ({"problem": "first"}, ["kay's", "emmy's"]),
        ({"problem": "first", "revision": "1"}, ["kay's", "emmy's"]),
        ({"digest": "ffffffff"}, []),
        ({"digest": "c0ffee"}, ["broken"]),
        ({"verdict": "judge_error"}, ["broken"]),
        ({"mode": "submit"}, ["emmy's"]),
        ({"state": "done"}, ["broken", "kay's", "emmy's"]),
        ({"state": "queued"}, []),
        ({"since": "2026-01-01T01:00:00Z"}, ["broken", "kay's"]),
        ({"until": "2026-01-01T01:00:00Z"}, ["emmy's"]),
        ({"user": "kay", "problem": "first"}, ["kay's"]),
    ],
)
def test_an_admin_finds_the_submissions_of_all_users(
    admin: httpx.Client, sent: dict[str, UUID], filters: dict[str, str], names: list[str]
) -> None:
    answer = admin.get("/submissions", params={"everyone": "true", **filters})

    assert answer.status_code == 200
    assert [item["id"] for item in answer.json()["items"]] == [str(sent[name]) for name in names]


def test_the_revision_of_a_submission_is_the_one_that_judged_it(admin: httpx.Client, database: Database) -> None:
    """Or will: one is judged again by the second revision, one waits for the first."""
    with database.transaction() as session:
        first = make_problem(session, "sums")
        again, waiting = make_submission(session, None, first), make_submission(session, None, first)
        make_judging(session, again.id, verdict="accepted", is_current=False)
        second = add_revision(session, first)
        make_judging(session, again.id, verdict="wrong_answer", revision_id=second.id)
        make_judging(session, waiting.id)

    def shown(**filters: str) -> list[tuple[str, int]]:
        items = admin.get("/submissions", params={"everyone": "true", "problem": "sums", **filters}).json()["items"]
        return [(item["id"], item["revision"]) for item in items]

    assert sorted(shown()) == sorted([(str(again.id), 2), (str(waiting.id), 1)])
    assert shown(revision="2") == shown(digest=second.digest[:64]) == [(str(again.id), 2)]
    assert shown(revision="1") == [(str(waiting.id), 1)]
    table = csv.DictReader(
        io.StringIO(admin.get("/submissions/export?format=csv&problem=sums&revision=2").content.decode("utf-8-sig"))
    )
    assert [(row["id"], row["revision"]) for row in table] == [(str(again.id), "2")]


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [("problem=first&revision=9", 404, "no revision 9 of 'first'"), ("revision=3", 422, "revision 3 needs a problem")],
)
@pytest.mark.parametrize("path", ["/submissions?everyone=true&", "/submissions/export?"])
@pytest.mark.usefixtures("sent")
def test_a_revision_is_of_a_problem_and_there(
    admin: httpx.Client, path: str, query: str, status: int, said: str
) -> None:
    answer = admin.get(path + query)

    assert answer.status_code == status
    assert said in answer.json()["detail"]


def test_all_judgings_of_a_submission_are_told_with_their_reasons(sent: dict[str, UUID], database: Database) -> None:
    with database.transaction() as session:
        make_judging(session, sent["broken"], verdict="accepted", score=100, worker="here", image="cpu-1")

        new, old = inspect_judgings(session, session.get_one(Submission, sent["broken"]))

    assert (new.verdict, new.is_current, new.worker, new.image) == ("accepted", True, "here", "cpu-1")
    assert (old.verdict, old.is_current, old.reason) == ("judge_error", False, "attempt 1: lost")


def test_an_export_has_all_that_the_filters_let_through(admin: httpx.Client, database: Database) -> None:
    with database.transaction() as session:
        revision, user = make_problem(session, "wanted"), make_user(session, "emmy")
        for _ in range(SOURCES_AT_A_TIME * 2 + 1):
            make_judging(session, make_submission(session, user, revision).id)
        make_judging(session)

    answer = admin.get("/submissions/export", params={"problem": "wanted", "source": "true"})

    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert len({line["id"] for line in lines}) == SOURCES_AT_A_TIME * 2 + 1
    assert {(line["user"], line["problem"], line["source"]) for line in lines} == {
        ("emmy", "wanted", "def solve(): ...")
    }


def test_an_export_is_of_one_moment(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submission_table, "CHUNK", 1)
    with database.transaction() as session:
        made = {make_judging(session).submission_id for _ in range(3)}

    with database.snapshot() as session:
        records = each_submission(session, HistoryFilters(), with_source=False)
        first = next(records)
        with database.transaction() as other:
            other.execute(delete(Submission).where(Submission.id != first["id"]))
            make_judging(other)
        rest = list(records)

    assert {record["id"] for record in (first, *rest)} == made


def test_an_export_that_takes_too_long_is_refused_before_anything_is_sent(
    admin: httpx.Client, sent: dict[str, UUID], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sent
    monkeypatch.setattr(export, "MOST_SECONDS", -1)

    answer = admin.get("/submissions/export")

    assert (answer.status_code, answer.json()["code"]) == (429, "limit_reached")
    assert "Choose a shorter time range" in answer.json()["detail"]


def test_no_cell_of_an_export_is_a_formula(admin: httpx.Client, database: Database) -> None:
    with database.transaction() as session:
        revision = make_problem(session, title="-1+cmd|' /C calc'!A1")
        submission = make_submission(session, make_user(session), revision)
        submission.source = '@SUM(1)\n,"quoted"'
        make_judging(session, submission.id)

    answer = admin.get("/submissions/export", params={"format": "csv", "source": "true"})

    (row,) = csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"), newline=""))
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert row["title"] == "'-1+cmd|' /C calc'!A1"
    assert row["source"] == '\'@SUM(1)\n,"quoted"'


def test_the_code_is_left_out_unless_it_is_asked_for(admin: httpx.Client, sent: dict[str, UUID]) -> None:
    lines = admin.get("/submissions/export").text.splitlines()

    assert len(lines) == len(sent)
    assert all("source" not in json.loads(line) for line in lines)


@pytest.mark.usefixtures("sent")
def test_the_audit_log_records_an_export_with_its_filters(admin: httpx.Client, database: Database) -> None:
    with database.transaction() as session:
        kay = session.scalars(select(User.id).where(User.username == "kay")).one()
    admin.get("/submissions/export", params={"user": "kay", "source": "true"}).raise_for_status()
    admin.get("/audit-events/export", params={"channel": "api"}).raise_for_status()

    page = admin.get("/audit-events").json()["items"]

    assert [(event["action"], event["actor"], event["after"]) for event in page[:2]] == [
        ("audit.exported", "root", {"filters": {"channel": "api"}}),
        ("submissions.exported", "root", {"filters": {"user": str(kay)}, "with_source": True}),
    ]
