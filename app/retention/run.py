"""Removing what is old: in small batches, each in a transaction of its own, and by one process at a time."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from sqlalchemy import delete, func, select, text
from sqlalchemy.orm import Session

from app.audit.record import Act, Actor, record
from app.database import Database
from app.policy.policy import read_policy
from app.retention.model import RetentionRun
from app.retention.rule import Rule, list_rules

BATCH = 200
EVERY = timedelta(hours=1)
# Any number that nothing else of ours locks.
LOCK = 0x72657461
RETENTION = Actor(user_id=None, channel="retention")


def run_if_due(database: Database) -> RetentionRun | None:
    """None where another process is at it, or was within the hour."""
    with _only_one(database) as is_ours:
        if not is_ours:
            return None
        with database.transaction() as session:
            if _ran_lately(session):
                return None
        return _run(database)


def _run(database: Database) -> RetentionRun:
    with database.transaction() as session:
        run = RetentionRun()
        session.add(run)
        rules = list_rules(read_policy(session))
    removed = {rule.name: _remove_all(database, rule) for rule in rules}
    removed = {name: count for name, count in removed.items() if count}
    with database.transaction() as session:
        run = session.get_one(RetentionRun, run.id)
        run.removed = removed
        run.finished_at = session.scalars(select(func.now())).one()
        if removed:
            record(session, RETENTION, Act(action="retention.removed", target=run.id, after=removed))
    return run


def _remove_all(database: Database, rule: Rule) -> int:
    total = 0
    while True:
        with database.transaction() as session:
            removed = _remove_some(session, rule)
        total += removed
        if removed < BATCH:
            return total


def _remove_some(session: Session, rule: Rule) -> int:
    """What somebody else holds now is left for the next time."""
    some = rule.chosen.limit(BATCH).with_for_update(skip_locked=True, of=rule.model)
    keys = session.scalars(some).all()
    session.execute(delete(rule.model).where(rule.model.__table__.c.id.in_(keys)))
    return len(keys)


def _ran_lately(session: Session) -> bool:
    return (
        session.scalar(select(RetentionRun.id).where(RetentionRun.started_at > func.now() - EVERY).limit(1)) is not None
    )


@contextmanager
def _only_one(database: Database) -> Iterator[bool]:
    """A lock of the connection, and not of a transaction: it lasts over many."""
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        is_ours = bool(connection.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": LOCK}))
        try:
            yield is_ours
        finally:
            if is_ours:
                connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": LOCK})
