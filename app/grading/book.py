"""The grade book: the grades of a course's students, by a few queries however many hand-ins there are.

Of each student and problem the database gives one row: the hand-in that counts is found there, by the time of arrival
and the dates that hold for this student.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, func, select, text
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.courses.assignment import list_assignments
from app.courses.deadlines import StudentWindows, Window, find_windows
from app.courses.model import Assignment, Course, Member
from app.courses.role import Seat
from app.database.engine import storable
from app.grading.grade import Grade, Share, compute_total, grade_assignment
from app.grading.model import Adjustment
from app.rejudging.model import Rejudging

# A hand-in at the very end of a step is in time.
INSTANT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class BookRow:
    """A student's grades, in the order of the book's assignments. `total`: percent of the course so far."""

    member: Member
    username: str
    grades: tuple[Grade, ...]
    total: Decimal | None

    @property
    def name(self) -> str:
        return self.member.name or self.username


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    assignments: tuple[Assignment, ...]
    rows: tuple[BookRow, ...]


# The join of 300,000 hand-ins would else be written to the disk, and each parallel process would hash all of them.
_JOIN_IN_MEMORY = text(
    "SELECT set_config('work_mem', '64MB', true), set_config('max_parallel_workers_per_gather', '0', true)"
)
# One row for each student and problem. `usual` has the ends of each assignment's steps with their credits, and its
# problems that are scored all or nothing; `own` has the steps of students with an extension. `chosen` has the
# submissions that an instructor chose. `other`: the judgings that take the places of those that count.
# A join with assignment_problems would make PostgreSQL expect a tenth of the rows, and look up each judging alone.
_WINDOW = "(assignment_id uuid, user_id uuid, ends timestamptz[], credits int[], is_last bool, all_or_nothing uuid[])"
_SHARES = f"""
    SELECT assignment_id, user_id, problem_id,
        coalesce(
            max(score * coalesce(credit, 100)) FILTER (WHERE is_chosen),
            CASE WHEN bool_or(is_last)
                THEN (max(ARRAY[extract(epoch FROM created_at), score * credit])
                    FILTER (WHERE is_last AND score * credit >= 0))[2]
                ELSE max(score * credit) END
        ) AS share,
        count(*) AS hand_ins,
        bool_or(is_draft) AS has_draft,
        bool_or(is_open AND credit IS NOT NULL) AS is_open
    FROM (
        SELECT s.assignment_id, s.user_id, s.problem_id, s.created_at, s.is_draft, usual.is_last,
            j.verdict IS NULL OR j.verdict = 'judge_error' AS is_open,
            CASE WHEN j.verdict IS NULL OR j.verdict IN ('judge_error', 'cancelled') THEN NULL
                WHEN s.problem_id <> ALL (usual.all_or_nothing) THEN coalesce(j.score, 0)
                WHEN j.verdict = 'accepted' THEN 100
                ELSE 0 END AS score,
            (coalesce(own.credits, usual.credits))
                [width_bucket(s.created_at, coalesce(own.ends, usual.ends)) + 1] AS credit,
            s.id = ANY (CAST(:chosen AS uuid[])) AS is_chosen
        FROM submissions s
        JOIN judgings c ON c.submission_id = s.id AND c.is_current
        LEFT JOIN judgings r ON {{other}}
        JOIN LATERAL (SELECT
            CASE WHEN r.id IS NULL THEN c.verdict ELSE r.verdict END AS verdict,
            CASE WHEN r.id IS NULL THEN c.score ELSE r.score END AS score
        ) AS j ON true
        JOIN jsonb_to_recordset(CAST(:usual AS jsonb)) AS usual{_WINDOW} ON usual.assignment_id = s.assignment_id
        LEFT JOIN jsonb_to_recordset(CAST(:own AS jsonb)) AS own{_WINDOW}
            ON own.assignment_id = s.assignment_id AND own.user_id = s.user_id
        WHERE s.assignment_id = ANY (CAST(:assignments AS uuid[])) AND s.user_id = ANY (CAST(:students AS uuid[]))
    ) AS counted
    GROUP BY assignment_id, user_id, problem_id
    """
# As if an undecided rejudging were applied, and as if an applied one were not.
_APPLIED = text(
    _SHARES.format(
        other="r.submission_id = s.id AND r.rejudging_id = CAST(:rejudging AS uuid) "
        "AND r.verdict NOT IN ('judge_error', 'cancelled')"
    )
)
_UNDONE = text(_SHARES.format(other="r.id = c.replaces_id AND c.rejudging_id = CAST(:rejudging AS uuid)"))


def read_book(session: Session, seat: Seat, section: str | None = None) -> Book:
    """Return the grades of all students with an account, or of those of a section."""
    assignments = list_assignments(session, seat)
    is_shown = (Member.left_at.is_(None), *([Member.section == storable(section)] if section is not None else []))
    return Book(assignments=tuple(assignments), rows=read_rows(session, seat.course, assignments, *is_shown))


def read_own_row(session: Session, seat: Seat, user_id: UUID) -> BookRow | None:
    """Return a member's grades; None for a user who is no student of the course."""
    rows = read_rows(session, seat.course, list_assignments(session, seat), Member.user_id == user_id)
    return rows[0] if rows else None


def read_rows(
    session: Session,
    course: Course,
    assignments: Sequence[Assignment],
    *which: ColumnElement[bool],
    rejudging: Rejudging | None = None,
) -> tuple[BookRow, ...]:
    """Return the grades of the students that match.

    With a rejudging, as if it were applied now. If it is, as if it were not.
    """
    query = select(Member, User.username, func.now()).join(User, User.id == Member.user_id)
    query = query.where(Member.course_id == course.id, Member.role == "student", *which)
    found = session.execute(query.order_by(Member.section, Member.name, User.username)).all()
    ids = [member.user_id for member, _, _ in found if member.user_id]
    windows = find_windows(session, assignments)
    adjustments = _read_adjustments(session, assignments, ids)
    shares = _read_shares(session, assignments, windows, (ids, rejudging), adjustments)
    return tuple(
        _grade_student(course, assignments, (member, username), windows, shares, adjustments, now)
        for member, username, now in found
    )


def _grade_student(
    course: Course,
    assignments: Sequence[Assignment],
    student: tuple[Member, str],
    windows: Mapping[UUID, StudentWindows],
    shares: "Mapping[tuple[UUID, UUID], Mapping[UUID, Share]]",
    adjustments: "Mapping[tuple[UUID, UUID], Mapping[UUID | None, Adjustment]]",
    now: datetime,
) -> BookRow:
    member, username = student
    assert member.user_id is not None
    grades = []
    for assignment in assignments:
        place = (assignment.id, member.user_id)
        is_closed = windows[assignment.id].of(member.user_id).phase(now) == "closed"
        grades.append(
            grade_assignment(assignment, shares.get(place, {}), adjustments.get(place, {}), is_closed=is_closed)
        )
    total = compute_total(grades, course.drop_lowest)
    return BookRow(member=member, username=username, grades=tuple(grades), total=total)


def _read_adjustments(
    session: Session, assignments: Sequence[Assignment], students: Sequence[UUID]
) -> dict[tuple[UUID, UUID], dict[UUID | None, Adjustment]]:
    """Return the adjustments that hold, by assignment and student, then problem."""
    of_course = Adjustment.assignment_id.in_([each.id for each in assignments])
    query = select(Adjustment).where(of_course, Adjustment.replaced_at.is_(None))
    if len(students) == 1:
        query = query.where(Adjustment.user_id == students[0])
    found: dict[tuple[UUID, UUID], dict[UUID | None, Adjustment]] = defaultdict(dict)
    for each in session.scalars(query):
        found[each.assignment_id, each.user_id][each.problem_id] = each
    return found


def _read_shares(
    session: Session,
    assignments: Sequence[Assignment],
    windows: Mapping[UUID, StudentWindows],
    whose: tuple[Sequence[UUID], Rejudging | None],
    adjustments: Mapping[tuple[UUID, UUID], Mapping[UUID | None, Adjustment]],
) -> dict[tuple[UUID, UUID], dict[UUID, Share]]:
    """`whose`: the students, and the rejudging of `read_rows`."""
    chosen = [each.submission_id for rows in adjustments.values() for each in rows.values() if each.submission_id]
    described = [row for each in assignments for row in _describe_windows(each, windows[each.id])]
    values = {
        "usual": json.dumps([row for row in described if row["user_id"] is None]),
        "own": json.dumps([row for row in described if row["user_id"] is not None]),
        "assignments": [each.id for each in assignments],
        "students": list(whose[0]),
        "rejudging": whose[1].id if whose[1] else None,
        "chosen": chosen,
    }
    statement = _UNDONE if whose[1] and whose[1].decision == "applied" else _APPLIED
    session.execute(_JOIN_IN_MEMORY)
    shares: dict[tuple[UUID, UUID], dict[UUID, Share]] = defaultdict(dict)
    for assignment_id, user_id, problem_id, share, hand_ins, has_draft, is_open in session.execute(statement, values):
        shown = None if share is None else int(share)
        found = Share(share=shown, hand_ins=hand_ins, has_draft=has_draft, is_open=is_open)
        shares[assignment_id, user_id][problem_id] = found
    return shares


def _describe_windows(assignment: Assignment, windows: StudentWindows) -> Iterable[dict[str, Any]]:
    usual: tuple[UUID | None, Window] = (None, windows.usual)
    for user_id, window in (usual, *windows.extended.items()):
        ends = [(step.until + window.grace + INSTANT).isoformat() for step in window.steps]
        yield {
            "assignment_id": str(assignment.id),
            "user_id": str(user_id) if user_id else None,
            "ends": ends,
            "credits": [*(step.percent for step in window.steps), None],
            "is_last": assignment.counts == "last",
            "all_or_nothing": [str(each.problem_id) for each in assignment.problems if each.scoring == "accepted"],
        }
