"""Leaderboards: the places of users, and which users are shown."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.permission import signed_in
from app.catalog.model import Revision
from app.database.engine import Database
from app.errors import NotFound
from app.submissions.leaderboard import (
    By,
    Leaderboard,
    Measurement,
    ReferenceMeasurement,
    read_leaderboard,
    round_ratio,
    set_ranked,
)
from app.submissions.model import Judging, Submission
from tests.factories import make_judging, make_problem, make_submission, make_user

SLUG = "raced"
START = datetime(2026, 1, 1, tzinfo=UTC)


def reference(session: Session, revision: Revision, machine: str, seconds: float) -> None:
    row = ReferenceMeasurement(revision_id=revision.id, machine=machine)
    row.wall_seconds, row.memory_bytes = seconds, 2**24
    session.add(row)


def accepted(
    session: Session, user: User, revision: Revision, seconds: float, *, machine: str = "slow", minute: int = 0
) -> Submission:
    submission = make_submission(session, user, revision)
    submission.created_at = START + timedelta(minutes=minute)
    judging = make_judging(session, submission.id, verdict="accepted", score=100)
    row = Measurement(judging_id=judging.id, revision_id=revision.id, machine=machine)
    row.wall_seconds, row.memory_bytes = seconds, 2**25
    session.add(row)
    session.flush()
    return submission


def ranked(session: Session, name: str) -> User:
    user = make_user(session, name)
    set_ranked(session, user.id, is_ranked=True)
    return user


def read(session: Session, viewer: User, by: By = "time") -> Leaderboard:
    return read_leaderboard(session, SLUG, signed_in(viewer), by)


def test_an_entry_has_its_share_of_the_gpu_if_it_is_known(session: Session) -> None:
    revision, (fast, slow) = make_problem(session, SLUG), [ranked(session, name) for name in ("fast", "slow")]
    reference(session, revision, "slow", 1.0)
    for user, seconds in ((fast, 1.0), (slow, 2.0)):
        submission = accepted(session, user, revision, seconds)
        judging = session.scalars(select(Judging).where(Judging.submission_id == submission.id)).one()
        judging.times = {"throughput": {"share": 0.42}} if user is fast else None
    session.flush()

    assert [entry.share for entry in read(session, slow).entries] == [0.42, None]


def places(board: Leaderboard) -> list[tuple[int, str, float]]:
    return [(entry.place, entry.username, entry.ratio) for entry in board.entries]


def test_the_best_ratio_of_each_counts_whichever_machine_it_was_measured_on(session: Session) -> None:
    revision, ada, eve = make_problem(session, SLUG), ranked(session, "ada"), ranked(session, "eve")
    reference(session, revision, "slow", 2.0)
    reference(session, revision, "fast", 1.0)
    accepted(session, ada, revision, 3.0)
    accepted(session, ada, revision, 1.0)
    accepted(session, eve, revision, 0.8, machine="fast")
    accepted(session, eve, revision, 0.1, machine="unknown")
    session.flush()

    board = read(session, ada)

    assert places(board) == [(1, "ada", 0.5), (2, "eve", 0.8)]
    assert [entry.submission_id is not None for entry in board.entries] == [True, False]
    assert read(session, ada, "memory").entries[0].ratio == 2.0


def test_ratios_that_are_equal_in_two_digits_share_a_place_the_earlier_one_first(session: Session) -> None:
    revision = make_problem(session, SLUG)
    reference(session, revision, "slow", 1.0)
    for minute, (name, seconds) in enumerate({"ada": 0.504, "eve": 0.496, "bob": 0.9}.items()):
        accepted(session, ranked(session, name), revision, seconds, minute=minute)

    board = read(session, make_user(session))

    assert places(board) == [(1, "ada", 0.5), (1, "eve", 0.5), (3, "bob", 0.9)]


def test_only_users_who_opted_in_are_shown_and_opting_out_removes_at_once(session: Session) -> None:
    revision, ada, eve = make_problem(session, SLUG), ranked(session, "ada"), make_user(session, "eve")
    reference(session, revision, "slow", 1.0)
    accepted(session, ada, revision, 0.5)
    own = accepted(session, eve, revision, 0.3)

    assert places(read(session, eve)) == [(1, "ada", 0.5)]
    mine = read(session, eve).own
    assert mine is not None
    assert (mine.place, mine.submission_id) == (1, own.id)
    set_ranked(session, ada.id, is_ranked=False)
    assert read(session, eve).entries == ()
    assert [entry.place for entry in (read(session, ada).own,) if entry] == [1]


def test_a_verdict_that_a_later_judging_took_back_does_not_count(session: Session) -> None:
    revision, ada = make_problem(session, SLUG), ranked(session, "ada")
    reference(session, revision, "slow", 1.0)
    submission = accepted(session, ada, revision, 0.5)
    make_judging(session, submission.id, verdict="wrong_answer", score=0)

    assert read(session, ada).entries == ()


def test_an_account_that_was_closed_is_not_shown(session: Session) -> None:
    revision, ada = make_problem(session, SLUG), ranked(session, "ada")
    reference(session, revision, "slow", 1.0)
    accepted(session, ada, revision, 0.5)
    ada.is_active = False
    session.flush()

    assert read(session, make_user(session)).entries == ()


def test_a_problem_that_is_not_there_has_no_leaderboard(database: Database) -> None:
    with database.transaction() as session, pytest.raises(NotFound):
        read(session, make_user(session))


@pytest.mark.parametrize(("ratio", "shown"), [(0.12345, 0.12), (1.06, 1.1), (12.7, 13.0), (0.0004, 0.0004)])
def test_a_ratio_has_two_digits(ratio: float, shown: float) -> None:
    assert round_ratio(ratio) == shown
