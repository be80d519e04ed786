"""What there is of a user besides their own row, and what becomes of it when they are erased.

Every column that refers to a user stands here: a test compares this with the tables, and docs/security.md with this.
"""

from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy.orm import InstrumentedAttribute

from app.accounts.model import ApiToken, Identity, Invitation, UserSession
from app.audit.model import AuditEvent
from app.authoring.model import Publication, Verification
from app.drafts.model import Draft
from app.learning.model import Completion, HintReveal, QuizAttempt, SolutionView
from app.policy.model import PolicyRow
from app.rejudging.model import Rejudging
from app.submissions.model import Submission

Fate = Literal["removed", "kept"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Belonging:
    """Rows that name a user in `column`. What is kept names the anonymous row that is left of them."""

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


ESTATE = (
    _removed(UserSession.user_id, "browsers that are signed in, with addresses"),
    _removed(ApiToken.user_id, "tokens, with their names"),
    _removed(Identity.user_id, "who they are elsewhere"),
    _removed(Draft.user_id, "what they typed and did not send"),
    _removed(HintReveal.user_id, "hints that they read"),
    _removed(SolutionView.user_id, "solutions that they opened"),
    _removed(QuizAttempt.user_id, "quizzes, with every answer"),
    _removed(Completion.user_id, "problems that they are through with"),
    _removed(Submission.user_id, "sources and own inputs, with judgings, results and measurements"),
    _kept(Verification.user_id, "packages that they sent for everybody's use, without their name"),
    _kept(Publication.user_id, "that a revision was published then, without by whom"),
    _kept(Rejudging.created_by, "that something was judged again, without for whom"),
    _kept(Rejudging.decided_by, "that it was applied or cancelled, without by whom"),
    _kept(Invitation.created_by, "invitations to others, which still hold"),
    _kept(Invitation.used_by, "that their own was used; its e-mail and note are emptied"),
    _kept(PolicyRow.changed_by, "settings as they are, without who chose them"),
    _kept(AuditEvent.subject_id, "what was done with things of theirs: that a token was made for them, and its name"),
    _kept(AuditEvent.actor_id, "what they did with others' things and with their account's safety, and from where"),
)
