"""Every row of every table, to compare; and a database that has some in each."""

from datetime import UTC, datetime

from sqlalchemy import Connection, text
from sqlalchemy.orm import Session

from app.accounts.signing_key import get_key
from app.accounts.token import create_token
from app.audit import COMMAND, Act, record
from app.backup.archive import count_rows
from app.database.engine import Database
from app.policy import PolicyRow
from app.submissions.draft import Draft
from app.submissions.model import CaseRow
from tests.factories import make_judging, make_submission, make_user, make_worker

Rows = dict[str, list[str]]


def read_rows(database: Database) -> Rows:
    with database.engine.connect() as connection:
        return {table: _of(connection, table) for table in count_rows(connection)}


def _of(connection: Connection, table: str) -> list[str]:
    return sorted(connection.scalars(text(f"SELECT to_jsonb(t)::text FROM {table} t")))


def fill(session: Session, username: str = "grace") -> None:
    """Texts, bytes, JSON, arrays, numbers and times, in tables with and without a sequence."""
    user = make_user(session, username)
    submission = make_submission(session, user)
    judging = make_judging(session, submission.id, verdict="wrong_answer", score=50)
    report = {"category": "outside \N{GREEK SMALL LETTER EPSILON}", "largest": 1e-300, "quotes": "'\"\\"}
    case = CaseRow(judging_id=judging.id, attempt=1, position=0, sequence=0, name="a", visibility="hidden")
    case.verdict, case.wall_seconds, case.memory_bytes, case.report = "wrong_answer", 0.1, 2**40, report
    draft = Draft(user_id=user.id, problem_id=submission.problem_id, source="x = 'one\ttwo\\n'\n")
    draft.saved_at = datetime(2026, 1, 2, 3, 4, 5, 678901, UTC)
    session.add_all([case, draft])
    session.add(PolicyRow(name="announcement", value="Exam on Friday"))
    get_key(session, "password-reset")
    make_worker(session, "cpu", gpus=["A", "B"])
    create_token(session, user.id, "laptop")
    record(session, COMMAND, Act(action="user.created", target=user.id, after={"role": "student"}))
