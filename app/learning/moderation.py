"""Moderation: users report posts and shared solutions, and moderators decide.

Authors and admins are moderators, since authors share all problems. A decision ends the open reports of its entry and
is recorded in the audit log.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID, uuid4

from sqlalchemy import CheckConstraint, ForeignKey, Index, Row, and_, func, or_, select, text, tuple_, update
from sqlalchemy.orm import Mapped, Session, aliased, mapped_column

from app.accounts.model import User, serialise_requests
from app.accounts.permission import Viewer
from app.audit import Act, Actor, record
from app.catalog.access import is_editable_by
from app.catalog.model import Problem
from app.database.cursor import Slice, read_uuid_cursor, split_page, write_cursor
from app.database.engine import Base, is_storable
from app.errors import Conflict, Invalid, LimitReached
from app.learning.discussion import Post, PostNotFound, get_readable_post, hold_post
from app.learning.shared_solution import SharedNotFound, SharedSolution, get_shared
from app.limits import MAX_REPORTS_PER_HOUR
from app.submissions.model import Submission

MAX_REASON = 500
MAX_COUNTED = 100
HOUR = timedelta(hours=1)
# The beginning of an entry's text in the list of reports.
EXCERPT = 300

SharedDecision = Literal["hide", "show", "dismiss"]
PostDecision = Literal["hide", "show", "dismiss", "lock", "unlock", "mark_spoiler", "unmark_spoiler"]
_DONE: dict[PostDecision, str] = {
    "hide": "hidden",
    "show": "shown",
    "dismiss": "reports_dismissed",
    "lock": "locked",
    "unlock": "unlocked",
    "mark_spoiler": "spoiler_marked",
    "unmark_spoiler": "spoiler_unmarked",
}


class ReportClosed(Conflict):
    """A moderator has already decided on the user's report."""

    def __init__(self) -> None:
        super().__init__("A moderator has already looked at your report of this entry and closed it.")


class EntryReport(Base):
    """A user's report of a post or a shared solution. `closed_at`: a moderator has decided.

    The reports of a withdrawn solution are kept, and count again once it is shared again.
    """

    __tablename__ = "reports"
    __table_args__ = (
        CheckConstraint("num_nonnulls(post_id, submission_id) = 1", name="entry"),
        Index("uq_reports_post_id_user_id", "post_id", "user_id", unique=True),
        Index("uq_reports_submission_id_user_id", "submission_id", "user_id", unique=True),
        Index("ix_reports_user_id_created_at", "user_id", text("created_at DESC")),
        Index(
            "ix_reports_open",
            text("created_at DESC"),
            text("id DESC"),
            postgresql_where=text("closed_at IS NULL"),
        ),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    user_id: Mapped[UUID] = mapped_column(ForeignKey(User.id))
    post_id: Mapped[UUID | None] = mapped_column(ForeignKey(Post.id, ondelete="CASCADE"))
    submission_id: Mapped[UUID | None] = mapped_column(ForeignKey(Submission.id, ondelete="CASCADE"))
    reason: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    closed_at: Mapped[datetime | None]


# A deleted post and a withdrawn solution leave nothing to decide.
_IS_OPEN = and_(
    EntryReport.closed_at.is_(None),
    Post.deleted_at.is_(None),
    or_(EntryReport.post_id.is_not(None), SharedSolution.submission_id.is_not(None)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportView:
    """An open report. Exactly one of `question_id` and `submission_id` is set; `post_id` is the reported post.

    `excerpt` is the beginning of the reported text.
    """

    id: UUID
    reporter: str
    reason: str
    created_at: datetime
    problem: str
    author: str
    question_id: UUID | None
    post_id: UUID | None
    submission_id: UUID | None
    excerpt: str
    is_hidden: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportPage:
    """`next` is the cursor of the next page, None on the last one."""

    items: tuple[ReportView, ...]
    next: str | None


def report_post(session: Session, viewer: Viewer, post_id: UUID, reason: str) -> None:
    """A user reports an entry once, and once more after a closed report if the post was edited.

    Raises NotFound, Invalid, LimitReached, ReportClosed, and Conflict for an own post.
    """
    post = get_readable_post(session, viewer, post_id)
    if post.deleted_at:
        raise PostNotFound(post_id)
    hold_post(session, post_id)
    if post.user_id == viewer.id:
        raise Conflict("this post is yours; delete it instead of reporting it")
    _report(session, viewer, reason, post.edited_at, post_id=post.id)


def report_shared(session: Session, viewer: Viewer, submission_id: UUID, reason: str) -> None:
    """A user reports a solution once.

    Raises NotFound, SolutionLocked, Invalid, LimitReached, ReportClosed, and Conflict for an own solution.
    """
    if get_shared(session, viewer, submission_id).summary.is_own:
        raise Conflict("this solution is yours; withdraw it instead of reporting it")
    _report(session, viewer, reason, None, submission_id=submission_id)


def decide_on_post(session: Session, actor: Actor, post_id: UUID, decision: PostDecision) -> None:
    """Raises NotFound, and Conflict for the lock of an answer."""
    which = select(Post).where(Post.id == post_id, Post.deleted_at.is_(None))
    post = session.scalars(which.with_for_update()).one_or_none()
    if post is None:
        raise PostNotFound(post_id)
    if decision in ("lock", "unlock") and post.question_id is not None:
        raise Conflict("only a question can be locked or unlocked")
    before = _state_of(post)
    now = session.scalars(select(func.now())).one()
    match decision:
        case "hide" | "show":
            post.hidden_at = (post.hidden_at or now) if decision == "hide" else None
        case "lock" | "unlock":
            post.locked_at = (post.locked_at or now) if decision == "lock" else None
        case "mark_spoiler" | "unmark_spoiler":
            post.is_spoiler = decision == "mark_spoiler"
        case "dismiss":
            pass
    session.flush()
    closed = _close(session, EntryReport.post_id == post.id)
    if closed or _state_of(post) != before:
        act = f"post.{_DONE[decision]}"
        record(session, actor, Act(action=act, target=post.id, subject_id=post.user_id))


def decide_on_shared(session: Session, actor: Actor, submission_id: UUID, decision: SharedDecision) -> None:
    """Raises NotFound."""
    which = select(SharedSolution).where(SharedSolution.submission_id == submission_id).with_for_update()
    shared = session.scalars(which).one_or_none()
    if shared is None:
        raise SharedNotFound(submission_id)
    before = shared.hidden_at
    if decision != "dismiss":
        shared.hidden_at = (before or session.scalars(select(func.now())).one()) if decision == "hide" else None
    session.flush()
    closed = _close(session, EntryReport.submission_id == submission_id)
    if closed or shared.hidden_at != before:
        act = f"shared_solution.{_DONE[decision]}"
        record(session, actor, Act(action=act, target=submission_id, subject_id=shared.user_id))


def list_reports(session: Session, moderator_id: UUID, wanted: Slice) -> ReportPage:
    """List the open reports, newest first. Those of a course's problem are for its authors. Raises CursorInvalid."""
    reporter, author = aliased(User), aliased(User)
    query = (
        select(EntryReport, Post, SharedSolution, Problem.slug, author.username.label("author"))
        .add_columns(reporter.username.label("reporter"), func.left(Submission.source, EXCERPT).label("source"))
        .outerjoin(Post, Post.id == EntryReport.post_id)
        .outerjoin(SharedSolution, SharedSolution.submission_id == EntryReport.submission_id)
        .outerjoin(Submission, Submission.id == EntryReport.submission_id)
        .join(Problem, Problem.id == func.coalesce(Post.problem_id, SharedSolution.problem_id))
        .join(author, author.id == func.coalesce(Post.user_id, SharedSolution.user_id))
        .join(reporter, reporter.id == EntryReport.user_id)
        .where(_IS_OPEN, is_editable_by(moderator_id))
        .order_by(EntryReport.created_at.desc(), EntryReport.id.desc())
    )
    if wanted.cursor is not None:
        query = query.where(tuple_(EntryReport.created_at, EntryReport.id) < tuple_(*read_uuid_cursor(wanted.cursor)))
    rows, last = split_page(session.execute(query.limit(wanted.limit + 1)).all(), wanted.limit)
    following = write_cursor(last.EntryReport.created_at, last.EntryReport.id) if last else None
    return ReportPage(items=tuple(map(_view, rows)), next=following)


def count_reports(session: Session, moderator_id: UUID) -> int:
    """Count the open reports that `list_reports` lists, at most MAX_COUNTED."""
    newest = (EntryReport.created_at.desc(), EntryReport.id.desc())
    some = (
        select(EntryReport.id)
        .outerjoin(Post, Post.id == EntryReport.post_id)
        .outerjoin(SharedSolution, SharedSolution.submission_id == EntryReport.submission_id)
        .join(Problem, Problem.id == func.coalesce(Post.problem_id, SharedSolution.problem_id))
        .where(_IS_OPEN, is_editable_by(moderator_id))
        .order_by(*newest)
    )
    return session.scalars(select(func.count()).select_from(some.limit(MAX_COUNTED).subquery())).one()


def _report(session: Session, viewer: Viewer, reason: str, edited_at: datetime | None, **entry: UUID) -> None:
    """Write a report, unless the user's earlier one is open. Another user's report of the entry counts apart."""
    reason = " ".join(reason.split())
    if not reason:
        raise Invalid("reason", "The reason is empty. Say in a few words what is wrong.")
    if len(reason) > MAX_REASON:
        raise Invalid("reason", f"The reason has {len(reason)} characters; the limit is {MAX_REASON}. Shorten it.")
    if not is_storable(reason):
        raise Invalid("reason", "The reason has a character that can't be stored. Remove it.")
    serialise_requests(session, viewer.id)
    earlier = session.scalars(select(EntryReport).filter_by(user_id=viewer.id, **entry)).one_or_none()
    if earlier is not None:
        if earlier.closed_at is None:
            return
        if edited_at is None or edited_at <= earlier.closed_at:
            raise ReportClosed
        session.delete(earlier)
        session.flush()
    own = select(func.count()).where(EntryReport.user_id == viewer.id, EntryReport.created_at > func.now() - HOUR)
    if session.scalars(own).one() >= MAX_REPORTS_PER_HOUR:
        raise LimitReached(f"you reported {MAX_REPORTS_PER_HOUR} entries in the last hour, which is the limit", HOUR)
    session.add(EntryReport(user_id=viewer.id, reason=reason, **entry))
    session.flush()


def _state_of(post: Post) -> tuple[bool, bool, bool]:
    return post.hidden_at is not None, post.locked_at is not None, post.is_spoiler


def _close(session: Session, which: Any) -> bool:
    """Close the open reports of an entry. Return whether there were some."""
    closing = update(EntryReport).where(which, EntryReport.closed_at.is_(None)).values(closed_at=func.now())
    return bool(session.execute(closing.returning(EntryReport.id)).all())


def _view(row: Row[Any]) -> ReportView:
    post: Post | None = row.Post
    entry = post or row.SharedSolution
    said = f"{post.title}\n{post.body}".strip() if post else row.source
    return ReportView(
        id=row.EntryReport.id,
        reporter=row.reporter,
        reason=row.EntryReport.reason,
        created_at=row.EntryReport.created_at,
        problem=row.slug,
        author=row.author,
        question_id=(post.question_id or post.id) if post else None,
        post_id=post.id if post else None,
        submission_id=row.EntryReport.submission_id,
        excerpt=said[:EXCERPT],
        is_hidden=entry.hidden_at is not None,
    )
