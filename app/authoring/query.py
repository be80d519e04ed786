"""The views of verifications, revisions and publications that authors see in the API and on pages."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import Field
from sqlalchemy import Select, select, tuple_
from sqlalchemy.orm import Session, aliased, defer, undefer

from app.accounts.model import User
from app.authoring.model import Publication, Verification
from app.catalog.access import is_editable_by, require_editable
from app.catalog.model import IS_CURRENT, Availability, Problem, Revision
from app.catalog.publish import MAX_NUMBER
from app.catalog.verification_report import Report
from app.courses.due import count_open_uses
from app.database.cursor import PAGE, NextCursor, read_number_cursor, read_uuid_cursor, split_page, write_cursor
from app.errors import NotFound
from app.queue.heartbeat import has_worker, lacks_boxes, serves
from app.queue.model import MAX_ATTEMPTS, Job
from app.validation import FrozenModel

NO_BOX = "No {kind} can open a sandbox now. The package waits in the queue until one can."
NO_WORKER = "No {kind} is running. The package waits in the queue until one starts."
CANCELLED = "It was cancelled."
OUR_FAULT = (
    f"The verification failed {MAX_ATTEMPTS} times by our fault. "
    "Send the package again; tell an admin if it fails again."
)
VerificationState = Literal["queued", "verifying", "passed", "refused", "failed"]
SHOWN = 50
OPEN_ASSIGNMENTS_SAYS = "the assignments that use the problem, and are open now: later hand-ins get a new revision"
# Leaves out the large columns.
LIGHT = (defer(Verification.files), defer(Verification.report))


class VerificationView(FrozenModel):
    """A verification. `refused`: a check failed, see the report. `failed`: the package could not be checked."""

    id: UUID
    problem: str = Field(description="the slug")
    digest: str = Field(description="names the package's content, and that of the revision that it becomes")
    by: str = Field(description="the user name of who sent it")
    state: VerificationState
    step: str = Field(description="what is being checked; empty before")
    done: int = Field(description="how much of the step is done, of `total`")
    total: int
    publish: bool = Field(description="whether it is published when it passes")
    availability: Availability | None = Field(
        description="what the problem gets when the package is published, with `publish` false only if it is new; "
        "null leaves it as it is"
    )
    revision: int | None = Field(description="the number of the revision that it became; null until it is published")
    queued_at: datetime
    finished_at: datetime | None
    notice: str | None = Field(description="a sentence for people: why it waits, or what came in the way")
    report: Report | None = Field(description="what was found; null until it is done, and in lists")
    open_assignments: int | None = Field(description=f"{OPEN_ASSIGNMENTS_SAYS}; null in lists")

    @property
    def is_cancelled(self) -> bool:
        return self.state == "failed" and self.notice == CANCELLED


class PublicationView(FrozenModel):
    at: datetime
    by: str | None = Field(description="a user name; null where the server took it from its folder")
    verification: UUID | None = Field(
        description="the verification that it passed; null where it was a revision before"
    )


class RevisionView(FrozenModel):
    """One version of a problem. `publications` lists each time that it became the current one."""

    number: int
    digest: str
    title: str
    created_at: datetime
    is_current: bool
    publications: tuple[PublicationView, ...]


class ProblemView(FrozenModel):
    """A problem in the list for authors. `number` is that of its current revision."""

    slug: str
    availability: Availability
    number: int
    title: str
    published_at: datetime | None
    published_by: str | None


def view_verification(session: Session, row: Verification, *, with_report: bool = True) -> VerificationView:
    username, revision = session.execute(
        select(User.username, Revision.number)
        .outerjoin(Revision, Revision.id == row.revision_id)
        .where(User.id == row.user_id)
    ).one()
    return VerificationView(
        id=row.id,
        problem=row.slug,
        digest=row.digest,
        by=username,
        state=row.verdict or ("queued" if row.state == "queued" else "verifying"),
        step=row.step,
        done=row.step_done,
        total=row.step_total,
        publish=row.publish,
        availability=row.availability,
        revision=revision,
        queued_at=row.queued_at,
        finished_at=row.finished_at,
        notice=_notice(session, row),
        report=Report.model_validate_json(row.report) if with_report and row.report else None,
        open_assignments=count_open_uses(session, row.slug) if with_report else None,
    )


def _notice(session: Session, row: Verification) -> str | None:
    if row.job is not None:
        return _explain_wait(session, row.job)
    if row.verdict == "failed":
        return CANCELLED if row.is_cancelled else OUR_FAULT
    is_unpublished = row.publish and row.verdict == "passed" and row.revision_id is None
    return row.reason if is_unpublished else None


def _explain_wait(session: Session, job: Job) -> str | None:
    if job.is_held or has_worker(session, serves(job.queue)):
        return None
    kind = "GPU worker" if job.queue == "verify-gpu" else "worker"
    return (NO_BOX if has_worker(session, lacks_boxes(job.queue)) else NO_WORKER).format(kind=kind)


def get_verification(session: Session, verification_id: UUID, *, with_files: bool = False) -> Verification:
    """Return a verification, with its files only if asked for. Raises NotFound."""
    files = undefer if with_files else defer
    found = session.get(Verification, verification_id, options=[files(Verification.files)])
    if found is None:
        raise NotFound(f"there is no verification {verification_id}; GET /api/v1/verifications lists yours")
    return found


def get_readable_verification(
    session: Session, author_id: UUID, verification_id: UUID, *, with_files: bool = False
) -> Verification:
    """Raises NotFound, also for one of a course's problem whose files the author may not read."""
    found = get_verification(session, verification_id, with_files=with_files)
    require_editable(session, author_id, found.slug)
    return found


def list_verifications(
    session: Session, *, user_id: UUID | None = None, slug: str | None = None
) -> list[VerificationView]:
    """Return the newest `SHOWN` verifications, newest first, without reports."""
    query = select(Verification).options(*LIGHT).order_by(Verification.queued_at.desc()).limit(SHOWN)
    if user_id is not None:
        query = query.where(Verification.user_id == user_id)
    if slug is not None:
        query = query.where(Verification.slug == slug)
    return [view_verification(session, each, with_report=False) for each in session.scalars(query)]


def list_revisions(
    session: Session, slug: str, *, before: int | None = None, most: int | None = None
) -> list[RevisionView]:
    """Return the revisions with numbers below `before`, newest first. Raises NotFound."""
    problem = session.scalar(select(Problem).where(Problem.slug == slug))
    if problem is None:
        raise NotFound(f"there is no problem {slug!r}; PUT /api/v1/problems/{slug} makes one")
    columns = (Revision.id, Revision.number, Revision.digest, Revision.created_at, Revision.listing["title"].astext)
    query = select(*columns).where(Revision.problem_id == problem.id).order_by(Revision.number.desc()).limit(most)
    if before is not None:
        query = query.where(Revision.number < before)
    rows = session.execute(query).all()
    publications = _publications(session, query.with_only_columns(Revision.id))
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


def list_authored(session: Session, author_id: UUID) -> list[ProblemView]:
    """Return every published problem whose files the author may read, by slug."""
    last = aliased(
        Publication,
        select(Publication)
        .where(Publication.problem_id == Problem.id)
        .order_by(Publication.id.desc())
        .limit(1)
        .lateral(),
    )
    title = Revision.listing["title"].astext
    columns = (Problem.slug, Problem.availability, Revision.number, title, last.published_at, User.username)
    rows = session.execute(
        select(*columns)
        .join(Revision, IS_CURRENT)
        .outerjoin(last, last.problem_id == Problem.id)
        .outerjoin(User, User.id == last.user_id)
        .where(is_editable_by(author_id))
        .order_by(Problem.slug)
    )
    return [
        ProblemView(
            slug=slug,
            availability=availability,
            number=number,
            title=title,
            published_at=published_at,
            published_by=username,
        )
        for slug, availability, number, title, published_at, username in rows
    ]


def list_published_by(session: Session, user_id: UUID) -> set[str]:
    """Return the slugs of the problems of which the user has published a revision."""
    # One look into the index per problem; a join would scan all publications.
    of_problem = (Publication.problem_id == Problem.id, Publication.user_id == user_id)
    own = select(Publication.id).where(*of_problem).limit(1).correlate(Problem).scalar_subquery()
    return set(session.scalars(select(Problem.slug).where(own.is_not(None))))


def _publications(session: Session, of_revisions: Select[UUID]) -> dict[UUID, Sequence[PublicationView]]:
    rows = session.execute(
        select(Publication, User.username)
        .outerjoin(User, User.id == Publication.user_id)
        .where(Publication.revision_id.in_(of_revisions))
        .order_by(Publication.id)
    )
    found: dict[UUID, list[PublicationView]] = {}
    for publication, username in rows:
        view = PublicationView(at=publication.published_at, by=username, verification=publication.verification_id)
        found.setdefault(publication.revision_id, []).append(view)
    return {revision_id: tuple(views) for revision_id, views in found.items()}


class VerificationPage(FrozenModel):
    """Newest first, without reports."""

    items: tuple[VerificationView, ...]
    next: NextCursor


class RevisionPage(FrozenModel):
    """Newest first."""

    items: tuple[RevisionView, ...]
    next: NextCursor
    open_assignments: int = Field(description=OPEN_ASSIGNMENTS_SAYS)


def page_verifications(
    session: Session, user_id: UUID, cursor: str | None = None, limit: int = PAGE
) -> VerificationPage:
    """Return a page of an author's verifications. Raises CursorInvalid."""
    key = (Verification.queued_at, Verification.id)
    query = select(Verification).options(*LIGHT).where(Verification.user_id == user_id)
    if cursor is not None:
        query = query.where(tuple_(*key) < tuple_(*read_uuid_cursor(cursor)))
    query = query.order_by(*(column.desc() for column in key)).limit(limit + 1)
    rows, last = split_page(session.scalars(query).all(), limit)
    return VerificationPage(
        items=tuple(view_verification(session, each, with_report=False) for each in rows),
        next=write_cursor(last.queued_at, last.id) if last is not None else None,
    )


def page_revisions(session: Session, slug: str, cursor: str | None = None, limit: int = PAGE) -> RevisionPage:
    """Return a page of a problem's revisions. Raises NotFound, CursorInvalid."""
    before = None if cursor is None else read_number_cursor(cursor, most=MAX_NUMBER)[1]
    found, last = split_page(list_revisions(session, slug, before=before, most=limit + 1), limit)
    return RevisionPage(
        items=tuple(found),
        next=write_cursor(last.created_at, last.number) if last is not None else None,
        open_assignments=count_open_uses(session, slug),
    )
