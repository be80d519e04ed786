"""Erasure: deletes what a user wrote or did, and ends every way to sign in.

The user's row stays without a name, since other rows refer to it. A concurrent request of the user either wrote its
rows before, and they are deleted too, or can write none any more: the row is locked, and a trigger on each emptied
table refuses rows of an erased user. USER_DATA lists every column that refers to a user. Tests compare it with the
tables and with docs/security.md.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import and_, delete, func, or_, select, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.accounts.model import ApiToken, Identity, Invitation, User, UserSession
from app.accounts.reauthentication import Reauthentication, require_reauthentication
from app.accounts.user import ERASED
from app.admin.user_change import keep_an_admin, lock_row, refuse_own
from app.audit import Act, Actor, AuditEvent, record
from app.authoring.model import Publication, Verification
from app.courses.model import Assignment, Course, Extension, Member, Sitting
from app.errors import Conflict
from app.grading.model import Adjustment, Comment, RegradeRequest, ShownGrade
from app.learning.bookmark import Bookmark
from app.learning.discussion import Post, empty_posts
from app.learning.model import HintReveal, QuizAttempt, SolutionView
from app.learning.moderation import EntryReport
from app.learning.note import Note
from app.learning.shared_solution import SharedSolution
from app.lti.model import PlatformPerson
from app.policy import PolicyRow
from app.rejudging.model import Rejudging
from app.similarity.model import SimilarityCheck, SimilarPair
from app.submissions.cancel import end_judgings
from app.submissions.draft import Draft
from app.submissions.model import Judging, Submission

Fate = Literal["removed", "kept"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Belonging:
    """Rows that refer to a user in `column`. Kept rows refer to the anonymous row that is left."""

    column: InstrumentedAttribute[Any]
    fate: Fate
    what: str

    @property
    def name(self) -> str:
        return f"{self.column.class_.__tablename__}.{self.column.key}"


def _removed(column: InstrumentedAttribute[Any], what: str) -> Belonging:
    return Belonging(column=column, fate="removed", what=what)


def _kept(column: InstrumentedAttribute[Any], what: str) -> Belonging:
    return Belonging(column=column, fate="kept", what=what)


USER_DATA = (
    _removed(UserSession.user_id, "browsers that are signed in, with addresses"),
    _removed(ApiToken.user_id, "tokens, with their names"),
    _removed(Identity.user_id, "their identities at an OpenID Connect provider"),
    _removed(PlatformPerson.user_id, "their identities at learning platforms, with scores that were sent there"),
    _removed(Draft.user_id, "sources that they typed and did not submit"),
    _removed(HintReveal.user_id, "hints that they read"),
    _removed(SolutionView.user_id, "solutions that they opened"),
    _removed(QuizAttempt.user_id, "quizzes, with every answer"),
    _removed(EntryReport.user_id, "reports that they sent to moderators"),
    _removed(SharedSolution.user_id, "solutions that they shared"),
    _removed(Bookmark.user_id, "problems that they bookmarked"),
    _removed(Note.user_id, "their private notes on problems"),
    _removed(Submission.user_id, "sources and custom inputs, with judgings, results, measurements and similar pairs"),
    _removed(Member.user_id, "their places in courses, with name, number and e-mail address on the roster"),
    _kept(Post.user_id, "that they asked or answered then, without their name and without the text"),
    _kept(Verification.user_id, "packages that they sent to be verified, without their name"),
    _kept(Publication.user_id, "that a revision was published then, without their name"),
    _removed(Adjustment.user_id, "decisions on their grades"),
    _removed(ShownGrade.user_id, "their grades as they were shown"),
    _removed(RegradeRequest.user_id, "their questions about their grades"),
    _kept(RegradeRequest.answered_by, "their answers to questions about grades, without their name"),
    _kept(Comment.author_id, "comments on hand-ins that they wrote, without their name"),
    _kept(Adjustment.created_by, "decisions on grades that they made, without their name"),
    _removed(Extension.user_id, "extensions that they were given in courses"),
    _removed(Sitting.user_id, "when and from where they wrote exams"),
    _kept(Extension.created_by, "extensions that they gave, without their name"),
    _kept(Course.created_by, "courses that they created, without their name"),
    _kept(Rejudging.created_by, "that submissions were rejudged, without their name"),
    _kept(Rejudging.decided_by, "that the rejudging was applied or cancelled, without their name"),
    _kept(SimilarityCheck.created_by, "that they compared programs, without their name"),
    _kept(SimilarPair.dismissed_by, "that they dismissed a similar pair, without their name"),
    _kept(Invitation.created_by, "invitations to other people, which stay valid"),
    _kept(Invitation.used_by, "that their invitation was used; its e-mail address and note are removed"),
    _kept(PolicyRow.changed_by, "settings as they are, without the name of the admin"),
    _kept(AuditEvent.subject_id, "what was done to their account, such as a token created for them, and its name"),
    _kept(AuditEvent.actor_id, "what they did to other users and to their own account's security, with the address"),
)


def erase_self(session: Session, actor: Actor, reauthentication: Reauthentication) -> str:
    """Erase the actor's own account.

    Raises ReauthenticationFailed, RateLimitReached, and Conflict for the last admin, for work that is graded, and for
    the only instructor of an open course.
    """
    assert actor.user_id is not None  # commands call erase()
    require_reauthentication(session.get_one(User, actor.user_id), reauthentication)
    _keep_graded_work(session, actor.user_id)
    _keep_instructors(session, actor.user_id)
    return _erase(session, actor, actor.user_id)


def _keep_graded_work(session: Session, user_id: UUID) -> None:
    """Raises Conflict if the user has handed in work or begun an exam in a course that is kept. An admin may erase it.

    A course is kept until its date, or without one until it is archived.
    """
    handed_in = select(Submission.assignment_id).where(Submission.user_id == user_id)
    begun = select(Sitting.assignment_id).where(Sitting.user_id == user_id)
    teacher = (
        select(User.username)
        .join(Member, Member.user_id == User.id)
        .where(Member.course_id == Course.id, Member.role == "instructor", Member.left_at.is_(None))
        .order_by(Member.joined_at)
        .limit(1)
        .scalar_subquery()
    )
    is_kept = or_(Course.keep_until > func.now(), and_(Course.keep_until.is_(None), Course.state != "archived"))
    query = select(Course.title, Course.keep_until, teacher).where(is_kept)
    of_user = Course.id.in_(select(Assignment.course_id).where(Assignment.id.in_(handed_in.union(begun))))
    kept = [_describe_kept(*row) for row in session.execute(query.where(of_user).order_by(Course.title))]
    if kept:
        what = "You handed in work that is graded, or began an exam"
        raise Conflict(f"{what}: {'; '.join(kept)}. Then an admin can erase your account.")


def _keep_instructors(session: Session, user_id: UUID) -> None:
    """Raises Conflict if the user is the only instructor of an open course. An admin may erase the user."""
    teaches = (Member.user_id == user_id, Member.role == "instructor", Member.left_at.is_(None))
    taught = select(Course).join(Member, Member.course_id == Course.id).where(*teaches, Course.state == "open")
    # Locked, so that of two instructors one waits, and sees that the other one is gone.
    courses = session.scalars(taught.order_by(Course.id).with_for_update(of=Course)).all()
    others = select(Member.course_id).where(
        Member.user_id != user_id, Member.role == "instructor", Member.left_at.is_(None)
    )
    known = set(session.scalars(others.where(Member.course_id.in_([each.id for each in courses]))))
    if alone := [course.title for course in courses if course.id not in known]:
        raise Conflict(
            f"You are the only instructor of {', '.join(sorted(alone))}. Under Members, make another member an "
            "instructor, or archive the course under Settings. Then erase your account."
        )


def _describe_kept(title: str, keep_until: datetime | None, teacher: str | None) -> str:
    until = f"{keep_until:%Y-%m-%d}" if keep_until else "the course is archived"
    return f"{title} is kept until {until}; ask {teacher or 'an admin'} about it"


def erase(session: Session, actor: Actor, user_id: UUID) -> str:
    """Erase a user and return the anonymous name. An erased user does not change.

    Raises UserNotFound, OwnAccount, and Conflict for the last admin.
    """
    refuse_own(actor, user_id)
    return _erase(session, actor, user_id)


def _erase(session: Session, actor: Actor, user_id: UUID) -> str:
    keep_an_admin(session, user_id)
    user = lock_row(session, user_id)
    if user.erased_at is not None:
        return user.username
    # Waits for every transaction that writes a row of the user. This one sees their rows from here on.
    session.refresh(user, with_for_update=True)
    _empty_invitations(session, user)
    end_judgings(session, Judging.submission_id.in_(select(Submission.id).where(Submission.user_id == user_id)))
    empty_posts(session, Post.user_id == user_id)
    for belonging in USER_DATA:
        if belonging.fate == "removed":
            gone = delete(belonging.column.class_).where(belonging.column == user_id)
            session.execute(gone, execution_options={"synchronize_session": False})
    _anonymise(session, user)
    record(session, actor, Act(action="user.erased", target=user_id))
    return user.username


def _anonymise(session: Session, user: User) -> None:
    user.username = ERASED + secrets.token_hex(4)
    user.email = user.password_hash = None
    user.role, user.is_active, user.is_ranked = "student", False, False
    user.erased_at = session.scalars(select(func.now())).one()
    session.flush()


def _empty_invitations(session: Session, user: User) -> None:
    own = Invitation.used_by == user.id
    if user.email is not None:
        own = or_(own, func.lower(Invitation.email) == user.email.lower())
    session.execute(update(Invitation).where(own).values(email=None, note=""))
