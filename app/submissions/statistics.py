"""A user's statistics, computed by the database. Days are in UTC.

To add a statistic, add a field to `Statistics`. `is_solving` and `first_solved` of `solved.py` define what counts as
solved. Show it in `app/web/templates/me.html`, and test it beside another user's submissions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from sqlalchemy import Date, cast, distinct, func, select
from sqlalchemy.orm import Session

from app.catalog.access import IS_LISTED
from app.catalog.model import IS_CURRENT, Problem, Revision
from app.catalog.track import list_titles
from app.judging.verdicts import Verdict
from app.submissions.model import Judging, Submission
from app.submissions.solved import IS_WITHHELD, first_solved

# 53 weeks, so that the first week of the year is whole.
DAYS = 371


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackProgress:
    """`slug` and `title` are None for problems without a track."""

    slug: str | None
    title: str | None
    solved: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveDay:
    """A day with submissions. `solved` counts the problems first solved on that day."""

    day: date
    submissions: int
    solved: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictCount:
    verdict: Verdict
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """`days` covers the last year, oldest first. `verdicts` is ordered by frequency and leaves out sample runs.

    A streak is a number of consecutive days with a submission. The current one may end yesterday.
    """

    today: date
    submissions: int
    attempted: int
    solved: int
    tracks: tuple[TrackProgress, ...]
    days: tuple[ActiveDay, ...]
    verdicts: tuple[VerdictCount, ...]
    current_streak: int
    longest_streak: int


def read_statistics(session: Session, user_id: UUID) -> Statistics:
    today = datetime.now(UTC).date()
    submissions, attempted = session.execute(
        select(func.count(), func.count(distinct(Submission.problem_id))).where(Submission.user_id == user_id)
    ).one()
    tracks, days = _tracks(session, user_id), _days(session, user_id, today - timedelta(days=DAYS))
    active = [each.day for each in days]
    return Statistics(
        today=today,
        submissions=submissions,
        attempted=attempted,
        solved=sum(track.solved for track in tracks),
        tracks=tracks,
        days=days,
        verdicts=_verdicts(session, user_id),
        current_streak=current_streak(active, today),
        longest_streak=max(map(len, runs_of(active)), default=0),
    )


def runs_of(days: Sequence[date]) -> list[list[date]]:
    """Group sorted days into runs of consecutive days."""
    runs: list[list[date]] = []
    for day in days:
        if runs and day - runs[-1][-1] == timedelta(days=1):
            runs[-1].append(day)
        else:
            runs.append([day])
    return runs


def current_streak(days: Sequence[date], today: date) -> int:
    runs = runs_of(days)
    return len(runs[-1]) if runs and today - runs[-1][-1] <= timedelta(days=1) else 0


def _tracks(session: Session, user_id: UUID) -> tuple[TrackProgress, ...]:
    """Return the progress by track, in the order of display. Problems without a track come last."""
    solved = first_solved(user_id).subquery()
    track = Revision.listing["track"].astext
    query = (
        select(track, func.count(solved.c.problem_id), func.count())
        .select_from(Problem)
        .join(Revision, IS_CURRENT)
        .where(IS_LISTED)
        .outerjoin(solved, solved.c.problem_id == Problem.id)
        .group_by(track)
    )
    counts = {slug: (done, total) for slug, done, total in session.execute(query)}
    titles = list_titles(session, (slug for slug in counts if slug is not None))
    ordered: list[str | None] = [*titles, *([None] if None in counts else [])]
    return tuple(
        TrackProgress(
            slug=slug, title=titles.get(slug) if slug else None, solved=counts[slug][0], total=counts[slug][1]
        )
        for slug in ordered
    )


def _days(session: Session, user_id: UUID, since: date) -> tuple[ActiveDay, ...]:
    first = first_solved(user_id).subquery()
    day = cast(func.timezone("UTC", Submission.created_at), Date)
    query = (
        select(day, func.count(), func.count(distinct(first.c.problem_id)))
        .outerjoin(first, (first.c.problem_id == Submission.problem_id) & (first.c.solved_at == Submission.created_at))
        .where(
            Submission.user_id == user_id,
            Submission.created_at >= datetime(since.year, since.month, since.day, tzinfo=UTC),
        )
        .group_by(day)
        .order_by(day)
    )
    rows = session.execute(query)
    return tuple(ActiveDay(day=when, submissions=count, solved=solved) for when, count, solved in rows)


def _verdicts(session: Session, user_id: UUID) -> tuple[VerdictCount, ...]:
    """Count the verdicts of current judgings."""
    counted = (
        select(Judging.verdict, func.count())
        .join(Submission, Submission.id == Judging.submission_id)
        .where(Submission.user_id == user_id, Submission.mode == "submit")
        .where(Judging.is_current, Judging.verdict.is_not(None), ~IS_WITHHELD)
        .group_by(Judging.verdict)
        .order_by(func.count().desc(), Judging.verdict)
    )
    return tuple(
        VerdictCount(verdict=Verdict(str(verdict)), count=count) for verdict, count in session.execute(counted)
    )
