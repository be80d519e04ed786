"""Finding authors' work: verifications, revisions, and who published what. For authors' eyes only."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session, aliased, defer, undefer

from app.accounts.model import User
from app.authoring.model import Publication, Verification
from app.authoring.view import ProblemView, PublicationView, RevisionView, VerificationView, view_verification
from app.catalog.model import IS_CURRENT, Problem, Revision
from app.errors import NotFound

SHOWN = 50
# Without what may be large.
LIGHT = (defer(Verification.files), defer(Verification.report))


def get_verification(session: Session, verification_id: UUID, *, with_files: bool = False) -> Verification:
    """Raises NotFound. Its files, which may be large, come with it only when they are asked for."""
    files = undefer if with_files else defer
    found = session.get(Verification, verification_id, options=[files(Verification.files)])
    if found is None:
        raise NotFound(f"there is no verification {verification_id}; GET /api/v1/verifications lists yours")
    return found


def list_verifications(
    session: Session, *, user_id: UUID | None = None, slug: str | None = None
) -> list[VerificationView]:
    """Newest first, without their reports; the last SHOWN."""
    query = select(Verification).options(*LIGHT).order_by(Verification.queued_at.desc()).limit(SHOWN)
    if user_id is not None:
        query = query.where(Verification.user_id == user_id)
    if slug is not None:
        query = query.where(Verification.slug == slug)
    return [view_verification(session, each, with_report=False) for each in session.scalars(query)]


def list_revisions(
    session: Session, slug: str, *, before: int | None = None, most: int | None = None
) -> list[RevisionView]:
    """Newest first; those of lower numbers than `before`. Raises NotFound."""
    problem = session.scalar(select(Problem).where(Problem.slug == slug))
    if problem is None:
        raise NotFound(f"there is no problem {slug!r}; PUT /api/v1/problems/{slug} makes one")
    columns = (Revision.id, Revision.number, Revision.digest, Revision.created_at, Revision.manifest["title"].astext)
    query = select(*columns).where(Revision.problem_id == problem.id).order_by(Revision.number.desc()).limit(most)
    if before is not None:
        query = query.where(Revision.number < before)
    rows = session.execute(query).all()
    publications = _publications(session, problem.id)
    return [
        RevisionView(
            number=number,
            digest=digest,
            title=title,
            created_at=created_at,
            is_current=revision_id == problem.current_revision_id,
            publications=publications.get(revision_id, ()),
        )
        for revision_id, number, digest, created_at, title in rows
    ]


def list_authored(session: Session) -> list[ProblemView]:
    """Every problem, by slug."""
    last = aliased(
        Publication,
        select(Publication)
        .where(Publication.problem_id == Problem.id)
        .order_by(Publication.id.desc())
        .limit(1)
        .lateral(),
    )
    columns = (Problem.slug, Revision.number, Revision.manifest["title"].astext, last.published_at, User.username)
    rows = session.execute(
        select(*columns)
        .join(Revision, IS_CURRENT)
        .outerjoin(last, last.problem_id == Problem.id)
        .outerjoin(User, User.id == last.user_id)
        .order_by(Problem.slug)
    )
    return [
        ProblemView(slug=slug, number=number, title=title, published_at=published_at, published_by=username)
        for slug, number, title, published_at, username in rows
    ]


def _publications(session: Session, problem_id: UUID) -> dict[UUID, Sequence[PublicationView]]:
    rows = session.execute(
        select(Publication, User.username)
        .outerjoin(User, User.id == Publication.user_id)
        .where(Publication.problem_id == problem_id)
        .order_by(Publication.id)
    )
    found: dict[UUID, list[PublicationView]] = {}
    for publication, username in rows:
        view = PublicationView(at=publication.published_at, by=username, verification=publication.verification_id)
        found.setdefault(publication.revision_id, []).append(view)
    return {revision_id: tuple(views) for revision_id, views in found.items()}
