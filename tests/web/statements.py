"""The statements that a page runs."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import event

from app.database.engine import Database

# These come with time and not with a page: the policy every 2 s, ended exams and scores for learning platforms every
# 5 s, the time when a session was seen every minute.
TIMED = ("FROM policy", "WHERE NOT sittings.is_settled", "FROM lti_courses", "FROM lti_scores", "UPDATE sessions")


@contextmanager
def counted(database: Database) -> Iterator[list[str]]:
    """The statements that reach the database meanwhile, but for those that come with time."""
    statements: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if not any(timed in statement for timed in TIMED):
            statements.append(statement)

    event.listen(database.engine, "before_cursor_execute", note)
    yield statements
    event.remove(database.engine, "before_cursor_execute", note)
