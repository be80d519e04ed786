"""An earlier submission back into the editor. What stood there is kept: in the history if it was sent, else beside."""

from uuid import UUID

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from app.accounts.viewer import Viewer
from app.catalog.model import Problem
from app.drafts.model import Draft
from app.drafts.save import Save, lock_draft, save_draft
from app.submissions.model import Submission
from app.submissions.query import get_submission


def copy_back(session: Session, viewer: Viewer, submission_id: UUID) -> tuple[Draft, str]:
    """The viewer's draft, and the slug of its problem. Raises NotFound."""
    submission = get_submission(session, submission_id, viewer)
    slug = session.get_one(Problem, submission.problem_id).slug
    draft = lock_draft(session, viewer.id, submission.problem_id)
    base = draft.version if draft is not None and _is_in_history(session, draft) else None
    return save_draft(session, Save(user_id=viewer.id, slug=slug, source=submission.source, base=base)), slug


def _is_in_history(session: Session, draft: Draft) -> bool:
    of_both = (Submission.user_id == draft.user_id, Submission.problem_id == draft.problem_id)
    return session.scalars(select(exists().where(*of_both, Submission.source == draft.source))).one()
