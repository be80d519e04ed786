"""Filling a large database, by few statements: a minute is too long to wait for it."""

import json
from dataclasses import dataclass

import numpy as np
from sqlalchemy import TextClause, select, text
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.session import start_session
from app.accounts.token import create_token
from app.authoring.publication import Publisher, publish_package
from app.catalog.package import Package, load_package
from app.database.engine import Database
from app.judging.comparison import Rules, compare
from app.judging.report import Material, build_report, preview
from app.policy import PolicyRow
from app.settings import ROOT
from tests.catalog.packages import PROBLEM, make_package
from tests.factories import make_worker
from tests.large.statement import STATEMENTS

SIZE = 50_000
SUBMISSIONS_PER_USER = 100
LEAST_USERS = 3
MAX_REQUESTS = 1_000_000
PROBLEMS = 20
SHIPPED = 7  # of these, with PROBLEM_SLUG; the others are made
PROBLEM_SLUG = "microbatched_grads"
CASE = "  - {name: made, generate: make, with: {width: 3}}\n"
CASES = 10  # made so, beside two others
SEEN = preview(np.linspace(0, 1, 6, dtype=np.float32))


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedInUser:
    """A user with a session and a token for all that the role may do."""

    username: str
    cookie: str
    token: str


def fill(database: Database, size: int = SIZE) -> None:
    """`size` submissions, and of everything else as much as goes with them."""
    with database.transaction() as session:
        _publish(session)
        make_worker(session, "cpu")
        session.add(PolicyRow(name="requests_per_minute", value=MAX_REQUESTS))
        for statement in STATEMENTS:
            session.execute(_statement(statement, size))
    analyze(database)


def analyze(database: Database) -> None:
    """Collect statistics, as PostgreSQL does by itself after a while: without them, its plans are guesses."""
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM ANALYZE"))


def sign_in_as(session: Session, username: str) -> SignedInUser:
    """`user-1` is the student with the most submissions, `user-100` an author, `user-250` an admin."""
    user = session.scalars(select(User).where(User.username == username)).one()
    cookie = start_session(session, user.id)
    return SignedInUser(username=username, cookie=cookie, token=create_token(session, user.id, "large").secret)


def _publish(session: Session) -> None:
    folders = sorted(file.parent for file in (ROOT / "problems").glob("*/problem.yaml"))
    folders.sort(key=lambda folder: folder.name != PROBLEM_SLUG)
    packages = [load_package(folder) for folder in folders[:SHIPPED]]
    made = [_made(number) for number in range(PROBLEMS - len(packages))]
    for package in (*packages, *made):
        publish_package(session, package, Publisher())


def _made(number: int) -> Package:
    place = f"track: basics-{number % 3}\nposition: {number + 1}\n"
    cases = "".join(CASE.replace("made", f"made_{case}") for case in range(CASES))
    return make_package(f"made_{number}", PROBLEM.replace("track: basics\nposition: 1\n", place).replace(CASE, cases))


def _statement(statement: str, size: int) -> TextClause:
    """Build the statement with literal numbers: PostgreSQL guesses a parameter's type separately at each place."""
    known = {name: json.dumps(value) for name, value in _documents().items()}
    values = {name: value for name, value in known.items() if f":{name}" in statement}
    users = max(LEAST_USERS, size // SUBMISSIONS_PER_USER)
    return text(statement.replace(":size", str(size)).replace(":users", str(users))).bindparams(**values)


def _documents() -> dict[str, object]:
    comparison = compare(np.zeros(6, np.float32), np.ones(6, np.float32), Rules(), lambda: None)
    material = Material(text="printed\n", inputs={"x": SEEN}, answer=SEEN, expected=SEEN)
    return {
        "sample": build_report("sample", comparison, material),
        "hidden": build_report("hidden", comparison, material),
        "inputs": {"x": SEEN},
        "expected": SEEN,
    }
