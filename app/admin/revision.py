"""Problems and revisions for admins: publication, verification, and whether the expected outputs are ready."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Select, and_, distinct, func, literal, select, true
from sqlalchemy.orm import Session, aliased

from app.accounts.model import User
from app.authoring.model import Outcome, Publication, Verification
from app.catalog.model import IS_CURRENT, ExpectedOutput, Problem, Revision
from app.submissions.model import Judging
from app.validation import FrozenModel

# The most submissions counted: counting all would read a table that grows.
MOST_COUNTED = 1_000


class RevisionState(FrozenModel):
    """`published_at`: when it last became its problem's current revision; None if never.

    `published_by`: a user name; None if it came from the server's folder. `verification`: its last one on this server,
    with the outcome `verdict`. `submissions`: those whose current judging is on it, at most MOST_COUNTED.
    `ready_variants`: those with expected outputs.
    """

    problem: str
    title: str
    number: int
    digest: str
    is_current: bool
    created_at: datetime
    published_at: datetime | None
    published_by: str | None
    verification: UUID | None
    verdict: Outcome | None
    submissions: int
    variants: int
    ready_variants: int

    @property
    def has_more_submissions(self) -> bool:
        """Whether there may be more submissions than were counted."""
        return self.submissions >= MOST_COUNTED

    @property
    def is_ready(self) -> bool:
        return self.ready_variants >= self.variants


def list_current(session: Session) -> tuple[RevisionState, ...]:
    """Return the current revision of each problem, by slug."""
    return tuple(_state(row) for row in session.execute(_states().where(IS_CURRENT).order_by(Problem.slug)))


def list_outdated(session: Session) -> frozenset[str]:
    """Return the slugs of problems with submissions whose verdict is of another revision than the current one."""
    # With a limit per revision, PostgreSQL uses the index. Without it, PostgreSQL might read all judgings.
    is_kept = (Judging.revision_id == Revision.id, Judging.is_current, Judging.verdict.is_not(None))
    kept = select(literal(1).label("one")).where(*is_kept).limit(1).correlate(Revision).lateral()
    query = select(Problem.slug).join(Revision, and_(Revision.problem_id == Problem.id, ~IS_CURRENT)).join(kept, true())
    return frozenset(session.scalars(query.distinct()))


def _states() -> Select[*tuple[object, ...]]:
    published = aliased(
        Publication,
        select(Publication)
        .where(Publication.revision_id == Revision.id)
        .order_by(Publication.id.desc())
        .limit(1)
        .lateral(),
    )
    verified = aliased(
        Verification,
        select(Verification)
        .where(Verification.revision_id == Revision.id)
        .order_by(Verification.queued_at.desc())
        .limit(1)
        .lateral(),
    )
    # No column is read, so the index on the revision is enough to count.
    each = select(literal(1).label("one")).select_from(Judging)
    some = each.where(Judging.revision_id == Revision.id, Judging.is_current).limit(MOST_COUNTED).correlate(Revision)
    ready = select(func.count(distinct(ExpectedOutput.variant))).where(ExpectedOutput.revision_id == Revision.id)
    return (
        select(
            Problem.slug.label("problem"),
            Revision.listing["title"].astext.label("title"),
            Revision.number,
            Revision.digest,
            IS_CURRENT.label("is_current"),
            Revision.created_at,
            published.published_at,
            User.username.label("published_by"),
            verified.id.label("verification"),
            verified.verdict,
            select(func.count())
            .select_from(some.subquery())
            .correlate(Revision)
            .scalar_subquery()
            .label("submissions"),
            Revision.listing["variants"].as_integer().label("variants"),
            ready.scalar_subquery().label("ready_variants"),
        )
        .select_from(Revision)
        .join(Problem, Problem.id == Revision.problem_id)
        .outerjoin(published, and_(published.revision_id == Revision.id))
        .outerjoin(User, User.id == published.user_id)
        .outerjoin(verified, verified.revision_id == Revision.id)
    )


def _state(row: object) -> RevisionState:
    fields: dict[str, object] = dict(row._mapping)  # type: ignore[attr-defined]
    fields["is_current"] = bool(fields["is_current"])
    return RevisionState.model_validate(fields)
