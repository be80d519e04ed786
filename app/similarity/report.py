"""The report of a check: its pairs of students, the clusters that they form, and the pairs that are dismissed.

A pair says that two programs are similar, and nothing else. Whether it means something is for people to decide.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import accumulate
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field
from sqlalchemy import and_, func, select
from sqlalchemy.orm import Session, aliased

from app.accounts.model import User
from app.audit import Act, Actor, record
from app.courses.model import Assignment, Member
from app.courses.role import STAFF, CourseRight, Seat
from app.errors import NotFound
from app.similarity.model import SimilarityCheck, SimilarPair
from app.submissions.model import Submission
from app.validation import ONE_LINE, Body, FrozenModel

MAX_NOTE = 500


class Dismissal(Body):
    note: Annotated[str, ONE_LINE] = Field(
        min_length=1, max_length=MAX_NOTE, description="why nothing follows from the pair, for staff"
    )


class SideView(FrozenModel):
    """A program of a pair."""

    submission: UUID
    username: str
    member: UUID | None = Field(description="the place in the course; null without one")
    name: str = Field(description="on the roster; empty without a course")
    section: str
    is_staff: bool = Field(description="an assistant or instructor of the course; without a course an author or admin")
    sent_at: datetime
    attempt: int = Field(description="1 for the student's first submission for the problem")
    first_at: datetime = Field(description="when the student sent the first one")


class PairView(FrozenModel):
    number: int = Field(description="1 for the most similar pair")
    similarity: float = Field(description="percent of the shorter program that the other one has too")
    left: SideView = Field(description="the program that was sent first")
    right: SideView
    blocks: tuple[tuple[int, int, int, int], ...] = Field(
        description="what they have in common: first and last line of `left`, first and last line of `right`"
    )
    dismissed_at: datetime | None
    dismissed_by: str | None = Field(description="a user name")
    note: str


class Cluster(FrozenModel):
    """Three or more students, each in a pair with another one of them, in the order of sending."""

    students: tuple[str, ...]
    pairs: tuple[int, ...]


def list_pairs(session: Session, check: SimilarityCheck, number: int | None = None) -> list[PairView]:
    """List the pairs, the most similar first, or the one of a number. Pairs of deleted submissions are gone."""
    query = select(SimilarPair, User.username).outerjoin(User, User.id == SimilarPair.dismissed_by)
    query = query.where(SimilarPair.check_id == check.id).order_by(SimilarPair.number)
    rows = session.execute(query if number is None else query.where(SimilarPair.number == number)).all()
    sides = _read_sides(session, check, [each for pair, _ in rows for each in (pair.left_id, pair.right_id)])
    return [
        PairView(
            number=pair.number,
            similarity=round(pair.similarity, 1),
            left=sides[pair.left_id],
            right=sides[pair.right_id],
            blocks=tuple(tuple(block) for block in pair.blocks),
            dismissed_at=pair.dismissed_at,
            dismissed_by=username,
            note=pair.note,
        )
        for pair, username in rows
    ]


def list_sides(session: Session, check: SimilarityCheck, submissions: Sequence[UUID]) -> list[SideView]:
    """List programs by the names of their students."""
    sides = _read_sides(session, check, submissions).values()
    return sorted(sides, key=lambda side: side.name or side.username)


def get_pair(session: Session, check: SimilarityCheck, number: int) -> PairView:
    found = list_pairs(session, check, number)
    if not found:
        raise NotFound(f"This check has no pair {number}. See its list of pairs.")
    return found[0]


def read_sources(session: Session, pair: PairView) -> tuple[str, str]:
    """Return both programs, in the order of the pair."""
    ids = (pair.left.submission, pair.right.submission)
    query = select(Submission.id, Submission.source).where(Submission.id.in_(ids))
    found = {row.id: row.source for row in session.execute(query)}
    return found[ids[0]], found[ids[1]]


def dismiss(
    session: Session, actor: Actor, found: tuple[SimilarityCheck, Seat | None], number: int, wanted: Dismissal
) -> None:
    """Say that nothing follows from a pair. Raises NotFound, CourseRightMissing."""
    pair = _get_own(session, found, number)
    pair.dismissed_at, pair.dismissed_by, pair.note = func.now(), actor.user_id, wanted.note
    _record(session, actor, "similar_pair.dismissed", pair)


def reopen(session: Session, actor: Actor, found: tuple[SimilarityCheck, Seat | None], number: int) -> None:
    """Take a dismissal back. The note stays. Raises NotFound, CourseRightMissing."""
    pair = _get_own(session, found, number)
    pair.dismissed_at = pair.dismissed_by = None
    _record(session, actor, "similar_pair.reopened", pair)


def list_clusters(pairs: Sequence[PairView]) -> list[Cluster]:
    """List groups of 3 and more students that pairs connect, the largest first."""
    group_of: dict[str, set[str]] = {}
    for pair in pairs:
        names = {pair.left.username, pair.right.username}
        group = names.union(*(group_of.get(name, set()) for name in names))
        group_of.update(dict.fromkeys(group, group))
    groups = {frozenset(group) for group in group_of.values() if len(group) > 2}
    clusters = [_cluster([pair for pair in pairs if pair.left.username in group]) for group in groups]
    return sorted(clusters, key=lambda each: (-len(each.students), each.pairs))


def find_share(histogram: Sequence[int], share: float) -> int:
    """Return the similarity, in percent, up to which at least this share of the pairs lies."""
    wanted = share * sum(histogram)
    below = sum(1 for count in accumulate(histogram) if count < wanted)
    return 100 * min(below + 1, len(histogram)) // max(len(histogram), 1)


def tabulate(pairs: Sequence[PairView]) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the columns and a record for each pair."""
    sides = ("username", "name", "section", "is_staff", "sent_at", "attempt", "submission")
    columns = ["number", "similarity", *(f"{side}_{name}" for side in ("left", "right") for name in sides)]
    records = []
    for pair in pairs:
        cells: dict[str, Any] = {"number": pair.number, "similarity": pair.similarity, "note": pair.note}
        cells |= {"is_dismissed": pair.dismissed_at is not None}
        for side, view in (("left", pair.left), ("right", pair.right)):
            cells |= {f"{side}_{name}": getattr(view, name) for name in sides}
        records.append(cells)
    return [*columns, "is_dismissed", "note"], records


def _cluster(pairs: Sequence[PairView]) -> Cluster:
    sides = sorted((side for pair in pairs for side in (pair.left, pair.right)), key=lambda side: side.sent_at)
    names = tuple(dict.fromkeys(side.username for side in sides))
    return Cluster(students=names, pairs=tuple(pair.number for pair in pairs))


def _get_own(session: Session, found: tuple[SimilarityCheck, Seat | None], number: int) -> SimilarPair:
    check, seat = found
    if seat is not None:
        seat.require(CourseRight.COMPARE)
    pair = session.get(SimilarPair, (check.id, number))
    if pair is None:
        raise NotFound(f"This check has no pair {number}. See its list of pairs.")
    return pair


def _record(session: Session, actor: Actor, action: Any, pair: SimilarPair) -> None:
    """The audit log has no note: its rows stay when the pair is gone."""
    record(session, actor, Act(action=action, target=f"{pair.check_id}/{pair.number}"))


def _read_sides(session: Session, check: SimilarityCheck, submissions: Sequence[UUID]) -> Mapping[UUID, SideView]:
    other = aliased(Submission)
    same = and_(
        other.user_id == Submission.user_id,
        other.problem_id == Submission.problem_id,
        other.assignment_id.is_not_distinct_from(Submission.assignment_id),
        other.mode == "submit",
        other.created_at <= Submission.created_at,
    )
    attempts = select(func.count()).where(same).correlate(Submission).scalar_subquery()
    first_at = select(func.min(other.created_at)).where(same).correlate(Submission).scalar_subquery()
    course_id = select(Assignment.course_id).where(Assignment.id == check.assignment_id).scalar_subquery()
    query = (
        select(Submission.id, Submission.created_at, User.username, User.role, Member, attempts, first_at)
        .join(User, User.id == Submission.user_id)
        .outerjoin(Member, and_(Member.user_id == User.id, Member.course_id == course_id))
        .where(Submission.id.in_(submissions))
    )
    return {
        submission_id: SideView(
            submission=submission_id,
            username=username,
            member=member.id if member else None,
            name=member.name if member else "",
            section=member.section if member else "",
            is_staff=member.role in STAFF if member else role != "student",
            sent_at=created_at,
            attempt=attempt,
            first_at=first,
        )
        for submission_id, created_at, username, role, member, attempt, first in session.execute(query)
    }
