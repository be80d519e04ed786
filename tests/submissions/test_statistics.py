"""Statistics of a user's submissions."""

from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.catalog.model import Revision
from app.submissions.statistics import ActiveDay, current_streak, read_statistics, runs_of
from app.submissions.view import Mode
from tests.factories import make_judging, make_problem, make_submission, make_user

TODAY = date(2026, 3, 10)


def days_ago(*numbers: int) -> list[date]:
    return [TODAY - timedelta(days=number) for number in numbers]


def judged(
    session: Session, user: User, revision: Revision, verdict: str, *, when: datetime, mode: Mode = "submit"
) -> None:
    submission = make_submission(session, user, revision, mode)
    submission.created_at = when
    make_judging(session, submission.id, verdict=verdict)


def test_a_year_adds_up_by_track_day_and_verdict(session: Session) -> None:
    noon = datetime.now(UTC).replace(hour=12) - timedelta(days=3)
    user, other = make_user(session), make_user(session)
    first, second = make_problem(session, track="a-track"), make_problem(session, track="a-track")
    apart = make_problem(session)
    judged(session, user, first, "wrong_answer", when=noon)
    judged(session, user, first, "accepted", when=noon + timedelta(minutes=1))
    judged(session, user, first, "accepted", when=noon + timedelta(days=1))
    judged(session, user, second, "accepted", when=noon, mode="sample")
    judged(session, other, apart, "accepted", when=noon)

    found = read_statistics(session, user.id)

    assert (found.submissions, found.attempted, found.solved) == (4, 2, 1)
    assert [(track.title, track.solved, track.total) for track in found.tracks] == [("A track", 1, 2), (None, 0, 1)]
    assert found.days == (
        ActiveDay(day=noon.date(), submissions=3, solved=1),
        ActiveDay(day=noon.date() + timedelta(days=1), submissions=1, solved=0),
    )
    assert [(each.verdict, each.count) for each in found.verdicts] == [("accepted", 2), ("wrong_answer", 1)]
    assert found.longest_streak == 2


def test_the_latest_judging_counts(session: Session) -> None:
    owner = make_user(session)
    submission = make_submission(session, owner)
    make_judging(session, submission.id, verdict="accepted")
    make_judging(session, submission.id, verdict="wrong_answer")

    found = read_statistics(session, owner.id)

    assert [each.verdict for each in found.verdicts] == ["wrong_answer"]


def test_who_has_sent_nothing_has_empty_statistics(session: Session) -> None:
    found = read_statistics(session, make_user(session).id)

    assert (found.submissions, found.days, found.verdicts, found.current_streak) == (0, (), (), 0)


@pytest.mark.parametrize(
    ("days", "streak"),
    [([], 0), (days_ago(0), 1), (days_ago(2, 1), 2), (days_ago(3, 2), 0), (days_ago(5, 1, 0), 2)],
)
def test_a_streak_goes_on_until_a_day_is_left_out(days: list[date], streak: int) -> None:
    assert current_streak(days, TODAY) == streak


def test_runs_are_days_in_a_row() -> None:
    assert list(map(len, runs_of(days_ago(9, 8, 7, 4, 2, 1)))) == [3, 1, 2]
