"""What an export tells besides submissions: the account, and everything that points at it. Never a secret's hash."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Executable, and_, or_, select, union_all
from sqlalchemy.orm import Session

from app.accounts.model import ApiToken, Identity, User, UserSession
from app.audit.model import AuditEvent
from app.authoring.model import Publication, Verification
from app.catalog.model import Problem, Revision
from app.drafts.model import Draft
from app.learning.model import Completion, HintReveal, QuizAnswer, QuizAttempt, SolutionView
from app.people.person import UserNotFound

Rows = list[dict[str, Any]]


def describe_account(session: Session, user_id: UUID) -> dict[str, Any]:
    """Raises UserNotFound."""
    user = session.get(User, user_id)
    if user is None:
        raise UserNotFound(user_id)
    facts = ("id", "username", "email", "role", "is_active", "is_ranked", "created_at", "erased_at")
    token = (ApiToken.name, ApiToken.scopes, ApiToken.created_at, ApiToken.expires_at, ApiToken.last_used_at)
    signed_in = (UserSession.address, UserSession.browser, UserSession.created_at, UserSession.last_seen_at)
    return {
        "exported_at": datetime.now(UTC),
        **{name: getattr(user, name) for name in facts},
        "has_password": user.password_hash is not None,
        "identities": _rows(
            session, select(Identity.issuer, Identity.subject, Identity.created_at).where(Identity.user_id == user_id)
        ),
        "sessions": _rows(session, select(*signed_in).where(UserSession.user_id == user_id)),
        "tokens": _rows(session, select(*token, ApiToken.revoked_at).where(ApiToken.user_id == user_id)),
    }


def list_audit(session: Session, user_id: UUID) -> Rows:
    """Who else acted, and from where, is theirs to know, and not in here."""
    what = (AuditEvent.id, AuditEvent.at, AuditEvent.actor_id, AuditEvent.address)
    which = (AuditEvent.action, AuditEvent.target_kind, AuditEvent.target, AuditEvent.before, AuditEvent.after)
    done = select(*what, *which).where(AuditEvent.actor_id == user_id)
    is_other = AuditEvent.actor_id.is_distinct_from(user_id)
    is_target = and_(AuditEvent.target_kind == "user", AuditEvent.target == str(user_id))
    suffered = select(*what, *which).where(or_(is_target, AuditEvent.subject_id == user_id), is_other)
    return [_own_side(row, user_id) for row in _rows(session, union_all(done, suffered).order_by("id"))]


def list_drafts(session: Session, user_id: UUID) -> Rows:
    what = (Problem.slug.label("problem"), Draft.source, Draft.saved_at, Draft.other_source, Draft.other_saved_at)
    return _rows(session, select(*what).join(Problem, Problem.id == Draft.problem_id).where(Draft.user_id == user_id))


def describe_learning(session: Session, user_id: UUID) -> dict[str, Rows]:
    slug = Problem.slug.label("problem")
    hints = select(slug, HintReveal.number, HintReveal.revealed_at).join(Problem, Problem.id == HintReveal.problem_id)
    seen = select(slug, SolutionView.shown_at).join(Problem, Problem.id == SolutionView.problem_id)
    through = select(slug, Completion.completed_at).join(Problem, Problem.id == Completion.problem_id)
    answer = (QuizAnswer.question, QuizAnswer.choice, QuizAnswer.is_right, QuizAnswer.answered_at)
    answers = (
        select(slug, QuizAttempt.number.label("attempt"), *answer)
        .join(QuizAttempt, QuizAttempt.id == QuizAnswer.attempt_id)
        .join(Problem, Problem.id == QuizAttempt.problem_id)
        .order_by(slug, QuizAttempt.number, QuizAnswer.question)
    )
    return {
        "hints": _rows(session, hints.where(HintReveal.user_id == user_id)),
        "solutions_seen": _rows(session, seen.where(SolutionView.user_id == user_id)),
        "quiz_answers": _rows(session, answers.where(QuizAttempt.user_id == user_id)),
        "completions": _rows(session, through.where(Completion.user_id == user_id)),
    }


def describe_authoring(session: Session, user_id: UUID) -> dict[str, Rows]:
    sent = (Verification.slug, Verification.digest, Verification.queued_at, Verification.verdict)
    published = (Problem.slug.label("problem"), Revision.number.label("revision"), Publication.published_at)
    publications = (
        select(*published)
        .join(Problem, Problem.id == Publication.problem_id)
        .join(Revision, Revision.id == Publication.revision_id)
    )
    return {
        "verifications": _rows(session, select(*sent).where(Verification.user_id == user_id)),
        "publications": _rows(session, publications.where(Publication.user_id == user_id)),
    }


SECTIONS: Mapping[str, Callable[[Session, UUID], Any]] = {
    "audit.json": list_audit,
    "drafts.json": list_drafts,
    "learning.json": describe_learning,
    "authoring.json": describe_authoring,
}


def _rows(session: Session, query: Executable) -> Rows:
    return [dict(row) for row in session.execute(query).mappings()]


def _own_side(row: dict[str, Any], user_id: UUID) -> dict[str, Any]:
    is_own = row.pop("actor_id") == user_id
    return row | {"by": "you" if is_own else "an admin", "address": row["address"] if is_own else None}
