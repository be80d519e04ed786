"""Feedback on hand-ins: comments of the staff, also on a line, and requests of students to look at a grade again.

Students see comments once the points are released, and ask from then on.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, Field
from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session, aliased

from app.accounts.model import User
from app.audit import Act, Actor, record
from app.courses.model import Assignment, Member
from app.courses.role import Seat
from app.database.engine import is_storable
from app.errors import Conflict, Invalid, NotFound
from app.grading.model import Comment, RegradeRequest
from app.submissions.model import Submission
from app.validation import Body

MAX_TEXT = 2000


def _check_storable(text: str) -> str:
    if not is_storable(text):
        raise ValueError("should be without NUL and without halves of characters")
    return text


Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT), AfterValidator(_check_storable)]


class NewComment(Body):
    """A comment on a hand-in; `line` is None for the whole."""

    submission: UUID
    line: int | None = Field(None, ge=1)
    text: Text


class RegradeText(Body):
    text: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentView:
    """`source_line`: the text of the line. `author` is a user name."""

    id: UUID
    line: int | None
    source_line: str
    text: str
    author: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestView:
    """`answer` is None while the request is open. `username` is the student's."""

    id: UUID
    assignment: Assignment
    member_id: UUID
    username: str
    text: str
    created_at: datetime
    answer: str | None
    answered_by: str | None


def add_comment(session: Session, actor: Actor, assignment: Assignment, user_id: UUID, new: NewComment) -> Comment:
    """Comment on a hand-in of this student. Raises Invalid."""
    submission = session.get(Submission, new.submission)
    if submission is None or (submission.assignment_id, submission.user_id) != (assignment.id, user_id):
        raise Invalid("submission", f"{new.submission} is no hand-in of this student.")
    lines = submission.source.count("\n") + 1
    if new.line is not None and new.line > lines:
        raise Invalid("line", f"The line is {new.line}; this hand-in has {lines} lines.")
    row = Comment(submission_id=submission.id, line=new.line, text=new.text.strip(), author_id=actor.user_id)
    session.add(row)
    session.flush()
    record(session, actor, Act(action="comment.added", target=row.id, subject_id=user_id))
    return row


def remove_comment(session: Session, actor: Actor, assignment: Assignment, comment_id: UUID) -> None:
    """Raises NotFound."""
    row = session.get(Comment, comment_id)
    submission = session.get_one(Submission, row.submission_id) if row else None
    if row is None or submission is None or submission.assignment_id != assignment.id:
        raise NotFound("This comment does not exist any more. Open the page again.")
    session.delete(row)
    record(session, actor, Act(action="comment.removed", target=comment_id, subject_id=submission.user_id))


def list_comments(session: Session, submission_ids: Iterable[UUID]) -> dict[UUID, list[CommentView]]:
    """Return the comments of hand-ins in the order of their lines; those on the whole come first."""
    query = select(Comment, Submission.source, User.username).join(Submission, Submission.id == Comment.submission_id)
    query = query.join(User, User.id == Comment.author_id).where(Comment.submission_id.in_(list(submission_ids)))
    found: dict[UUID, list[CommentView]] = defaultdict(list)
    for row, source, author in session.execute(query.order_by(Comment.line.nulls_first(), Comment.created_at)):
        text = source.split("\n")[row.line - 1] if row.line else ""
        found[row.submission_id].append(
            CommentView(
                id=row.id, line=row.line, source_line=text, text=row.text, author=author, created_at=row.created_at
            )
        )
    return found


def ask_regrade(session: Session, actor: Actor, assignment: Assignment, wanted: RegradeText) -> None:
    """Ask for another look at the actor's own points. Raises Conflict before the release, and with an open request."""
    if assignment.released_at is None:
        raise Conflict("You can ask once the points are released.")
    session.execute(select(User.id).where(User.id == actor.user_id).with_for_update())
    is_open = (RegradeRequest.assignment_id == assignment.id, RegradeRequest.answer.is_(None))
    if session.scalar(select(RegradeRequest.id).where(*is_open, RegradeRequest.user_id == actor.user_id)):
        raise Conflict("You have asked already. Wait for the answer.")
    session.add(RegradeRequest(assignment_id=assignment.id, user_id=actor.user_id, text=wanted.text.strip()))
    session.flush()


def answer_regrade(
    session: Session, actor: Actor, assignment: Assignment, request_id: UUID, answer: RegradeText
) -> None:
    """Raises NotFound, and Conflict if the request was answered."""
    row = session.get(RegradeRequest, request_id, with_for_update=True)
    if row is None or row.assignment_id != assignment.id:
        raise NotFound("This assignment has no such request. Open the page again.")
    if row.answer is not None:
        raise Conflict("This request was answered already. Open the page again.")
    row.answer, row.answered_by, row.answered_at = answer.text.strip(), actor.user_id, func.now()
    record(session, actor, Act(action="regrade_request.answered", target=row.id, subject_id=row.user_id))


def list_requests(session: Session, seat: Seat) -> list[RequestView]:
    """List the open requests of a course, the oldest first."""
    return _list(session, Assignment.course_id == seat.course.id, RegradeRequest.answer.is_(None))


def list_requests_of(session: Session, assignment: Assignment, user_id: UUID) -> list[RequestView]:
    """List a student's requests about an assignment, the oldest first."""
    return _list(session, Assignment.id == assignment.id, RegradeRequest.user_id == user_id)


def _list(session: Session, *which: ColumnElement[bool]) -> list[RequestView]:
    staff = aliased(User)
    query = (
        select(RegradeRequest, Assignment, Member.id, User.username, staff.username)
        .join(Assignment, Assignment.id == RegradeRequest.assignment_id)
        .join(User, User.id == RegradeRequest.user_id)
        .join(Member, (Member.user_id == User.id) & (Member.course_id == Assignment.course_id))
        .outerjoin(staff, staff.id == RegradeRequest.answered_by)
        .where(*which)
        .order_by(RegradeRequest.created_at)
    )
    return [
        RequestView(
            id=row.id,
            assignment=assignment,
            member_id=member_id,
            username=username,
            text=row.text,
            created_at=row.created_at,
            answer=row.answer,
            answered_by=answered_by,
        )
        for row, assignment, member_id, username, answered_by in session.execute(query)
    ]
