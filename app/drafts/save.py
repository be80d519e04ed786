"""Keeping a draft. The newest wins; one that it did not follow is kept beside it.

Every save names the version that its writer last saw. Another one there now was saved by another window or device, and
the writer has not read it: it becomes `other_source`.
"""

from dataclasses import dataclass
from uuid import UUID, uuid4

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.catalog.model import Problem
from app.drafts.model import Draft
from app.errors import Invalid, ProblemNotFound
from app.submissions.limit import SOURCE_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Save:
    """`base` is the version that the writer last saw, None when there was none."""

    user_id: UUID
    slug: str
    source: str
    base: UUID | None


def save_draft(session: Session, wanted: Save) -> Draft:
    """Raises NotFound, Invalid."""
    _check(wanted.source)
    problem_id = _problem_id(session, wanted.slug)
    draft = lock_draft(session, wanted.user_id, problem_id)
    if draft is None:
        draft = Draft(user_id=wanted.user_id, problem_id=problem_id, source=wanted.source)
        session.add(draft)
    elif draft.source != wanted.source:
        _replace(draft, wanted)
    session.flush()
    return draft


def find_draft(session: Session, user_id: UUID, slug: str) -> Draft | None:
    of_this_problem = select(Draft).join(Problem).where(Problem.slug == slug, Draft.user_id == user_id)
    return session.scalars(of_this_problem).one_or_none()


def lock_draft(session: Session, user_id: UUID, problem_id: UUID) -> Draft | None:
    """As it is now, and stays until the caller's transaction ends. Whoever writes drafts of a user waits here."""
    # The user's row, since two first drafts at once have no row of their own: one waits, and follows the other.
    session.execute(select(User.id).where(User.id == user_id).with_for_update(key_share=True))
    return session.get(Draft, (user_id, problem_id), populate_existing=True)


def give_up_other(session: Session, user_id: UUID, slug: str) -> None:
    draft = find_draft(session, user_id, slug)
    if draft is not None:
        draft.other_source, draft.other_saved_at = None, None


def _replace(draft: Draft, wanted: Save) -> None:
    if draft.version != wanted.base:
        draft.other_source, draft.other_saved_at = draft.source, draft.saved_at
    draft.source, draft.version, draft.saved_at = wanted.source, uuid4(), func.now()


def _problem_id(session: Session, slug: str) -> UUID:
    found = session.scalars(select(Problem.id).where(Problem.slug == slug)).one_or_none()
    if found is None:
        raise ProblemNotFound(slug)
    return found


def _check(source: str) -> None:
    """What the database can't hold, and what could not be sent later either."""
    try:
        size = len(source.encode())
    except UnicodeEncodeError:
        raise Invalid("source", "the draft is not valid Unicode, so it is kept in your browser only") from None
    if size > SOURCE_BYTES or "\0" in source:
        raise Invalid("source", f"a draft has at most {SOURCE_BYTES} bytes and no NUL; it is kept in your browser only")
