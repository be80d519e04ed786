"""Problems and revisions for admins: what is current since when, how it was verified, and whether it is ready."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import Select, and_, distinct, func, literal, select, true
from sqlalchemy.orm import Session, aliased

from app.accounts.model import User
from app.authoring.model import Outcome, Publication, Verification
from app.catalog.model import IS_CURRENT, ExpectedOutput, Problem, Revision
from app.database.engine import storable
from app.errors import ProblemNotFound
from app.submissions.model import Judging

# Beyond it, a number is only said to be larger: counting them all would read all of a table that grows.
MOST_COUNTED = 1_000


class RevisionState(BaseModel):
    model_config = ConfigDict(frozen=True)

    problem: str = Field(description="the slug")
    title: str
    number: int
    digest: str
    is_current: bool
    created_at: datetime
    published_at: datetime | None = Field(description="when it last became its problem's current one; null if never")
    published_by: str | None = Field(description="a user name; null where the server took it from its folder")
    verification: UUID | None = Field(description="the last that it passed here; null where it was in none")
    verdict: Outcome | None = Field(description="of that verification")
    submissions: int = Field(
        description=f"those that it judged, or will, as counts now; no more than {MOST_COUNTED} are counted"
    )
    variants: int = Field(description="how many draws of its hidden inputs there are")
    ready_variants: int = Field(description="those whose expected outputs are there")

    @property
    def has_more_submissions(self) -> bool:
        """Than are counted."""
        return self.submissions >= MOST_COUNTED

    @property
    def is_ready(self) -> bool:
        return self.ready_variants >= self.variants


class RevisionStates(BaseModel):
    items: tuple[RevisionState, ...]


def list_current(session: Session) -> tuple[RevisionState, ...]:
    """The current revision of each problem, by slug."""
    return tuple(_state(row) for row in session.execute(_states().where(IS_CURRENT).order_by(Problem.slug)))


def list_outdated(session: Session) -> frozenset[str]:
    """The slugs of problems for which something keeps the verdict of another revision than the current one."""
    # With a limit of its own, each revision is looked up in the index; without, all judgings might be read.
    is_kept = (Judging.revision_id == Revision.id, Judging.is_current, Judging.state == "done")
    kept = select(literal(1).label("one")).where(*is_kept).limit(1).correlate(Revision).lateral()
    query = select(Problem.slug).join(Revision, and_(Revision.problem_id == Problem.id, ~IS_CURRENT)).join(kept, true())
    return frozenset(session.scalars(query.distinct()))


def list_of_problem(session: Session, slug: str) -> tuple[RevisionState, ...]:
    """All revisions of one problem, the newest first. Raises ProblemNotFound."""
    query = _states().where(Problem.slug == storable(slug)).order_by(Revision.number.desc())
    found = tuple(_state(row) for row in session.execute(query))
    if not found:
        raise ProblemNotFound(slug)
    return found


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
        .where(Verification.slug == Problem.slug, Verification.revision_id == Revision.id)  # the first by an index
        .order_by(Verification.queued_at.desc())
        .limit(1)
        .lateral(),
    )
    # Of no column: the index on the revision is enough to count them.
    each = select(literal(1).label("one")).select_from(Judging)
    some = each.where(Judging.revision_id == Revision.id, Judging.is_current).limit(MOST_COUNTED).correlate(Revision)
    ready = select(func.count(distinct(ExpectedOutput.variant))).where(ExpectedOutput.revision_id == Revision.id)
    return (
        select(
            Problem.slug.label("problem"),
            Revision.manifest["title"].astext.label("title"),
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
            Revision.manifest["variants"].as_integer().label("variants"),
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
