"""Drafts of solutions, saved by the editor.

The newest save wins. Each save names the version that its window last saw. If another window or device has saved since,
that draft is kept as `other_source`, so that no text is lost.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import CheckConstraint, ForeignKey, UniqueConstraint, exists, func, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.accounts.model import User, serialise_requests
from app.accounts.permission import Viewer
from app.catalog.access import is_open_to
from app.catalog.model import Problem
from app.courses.model import Assignment
from app.database.engine import Base
from app.errors import Invalid, ProblemNotFound
from app.limits import SOURCE_BYTES
from app.submissions.model import Submission
from app.submissions.query import get_submission


class Draft(Base):
    """A user's draft for a problem. `other_source` is the conflicting draft of another window or device.

    `assignment_id`: of a draft that is written in an exam.
    """

    __tablename__ = "drafts"
    __table_args__ = (
        CheckConstraint("(other_source IS NULL) = (other_saved_at IS NULL)", name="other_has_time"),
        UniqueConstraint("user_id", "problem_id", "assignment_id", postgresql_nulls_not_distinct=True),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    user_id: Mapped[UUID] = mapped_column(ForeignKey(User.id, ondelete="CASCADE"))
    problem_id: Mapped[UUID] = mapped_column(ForeignKey(Problem.id, ondelete="CASCADE"))
    assignment_id: Mapped[UUID | None] = mapped_column(ForeignKey(Assignment.id, ondelete="CASCADE"))
    source: Mapped[str]
    version: Mapped[UUID] = mapped_column(default=uuid4)
    saved_at: Mapped[datetime] = mapped_column(server_default=func.now())
    other_source: Mapped[str | None]
    other_saved_at: Mapped[datetime | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Save:
    """A draft to save. `base` is the version that the window last saw, or None. `exam_id`: of its exam."""

    user_id: UUID
    slug: str
    source: str
    base: UUID | None
    exam_id: UUID | None = None


def save_draft(session: Session, wanted: Save) -> Draft:
    """Raises NotFound, Invalid."""
    _check(wanted.source)
    problem_id = _problem_id(session, wanted.slug, wanted.user_id)
    draft = lock_draft(session, wanted.user_id, problem_id, wanted.exam_id)
    if draft is None:
        draft = Draft(user_id=wanted.user_id, problem_id=problem_id, assignment_id=wanted.exam_id, source=wanted.source)
        session.add(draft)
    elif draft.source != wanted.source:
        _replace(draft, wanted)
    session.flush()
    return draft


def find_draft(session: Session, user_id: UUID, slug: str, exam_id: UUID | None = None) -> Draft | None:
    own = (Draft.user_id == user_id, Draft.assignment_id.is_not_distinct_from(exam_id))
    return session.scalars(select(Draft).join(Problem).where(Problem.slug == slug, *own)).one_or_none()


def lock_draft(session: Session, user_id: UUID, problem_id: UUID, exam_id: UUID | None = None) -> Draft | None:
    """Return the draft and lock it until the transaction ends."""
    serialise_requests(session, user_id)
    own = (Draft.user_id == user_id, Draft.problem_id == problem_id, Draft.assignment_id.is_not_distinct_from(exam_id))
    return session.scalars(select(Draft).where(*own).execution_options(populate_existing=True)).one_or_none()


def discard_other(session: Session, user_id: UUID, slug: str, exam_id: UUID | None = None) -> None:
    draft = find_draft(session, user_id, slug, exam_id)
    if draft is not None:
        draft.other_source, draft.other_saved_at = None, None


def _replace(draft: Draft, wanted: Save) -> None:
    if draft.version != wanted.base:
        draft.other_source, draft.other_saved_at = draft.source, draft.saved_at
    draft.source, draft.version, draft.saved_at = wanted.source, uuid4(), func.now()


def _problem_id(session: Session, slug: str, user_id: UUID) -> UUID:
    found = session.scalars(select(Problem.id).where(Problem.slug == slug, is_open_to(user_id))).one_or_none()
    if found is None:
        raise ProblemNotFound(slug)
    return found


def _check(source: str) -> None:
    """Refuse a text that the database can't store or that is too long to submit. Raises Invalid."""
    try:
        size = len(source.encode())
    except UnicodeEncodeError:
        raise Invalid("source", "the draft is not valid Unicode, so only your browser keeps it") from None
    if size > SOURCE_BYTES or "\0" in source:
        raise Invalid("source", f"a draft has at most {SOURCE_BYTES} bytes and no NUL; only your browser keeps it")


def restore_source(session: Session, viewer: Viewer, submission_id: UUID) -> tuple[Draft, str]:
    """Copy a submission's source to the viewer's draft. Returns the draft and the problem's slug. Raises NotFound.

    A draft that was never submitted becomes `other_source`.
    """
    submission = get_submission(session, submission_id, viewer)
    slug = session.get_one(Problem, submission.problem_id).slug
    draft = lock_draft(session, viewer.id, submission.problem_id)
    base = draft.version if draft is not None and _was_submitted(session, draft) else None
    return save_draft(session, Save(user_id=viewer.id, slug=slug, source=submission.source, base=base)), slug


def _was_submitted(session: Session, draft: Draft) -> bool:
    of_both = (Submission.user_id == draft.user_id, Submission.problem_id == draft.problem_id)
    return session.scalars(select(exists().where(*of_both, Submission.source == draft.source))).one()
