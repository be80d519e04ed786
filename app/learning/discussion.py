"""Questions about a problem, and answers to them.

A question and an answer are posts. Code blocks and posts with the spoiler mark are withheld from readers to whom the
problem's solution is not open. Moderators see everything: authors can read all files of a problem. A deleted post stays
as an empty row, so that it still counts for the limit of posts per hour. Readers see it only if it is a question with
answers.

The HTML of a post is stored when the post is written, in a time that grows linearly with its length. A page renders a
post again once the renderer has changed.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any
from uuid import UUID, uuid4

from markupsafe import Markup
from sqlalchemy import (
    CheckConstraint,
    ColumnElement,
    ForeignKey,
    Index,
    Row,
    Select,
    and_,
    exists,
    false,
    func,
    or_,
    select,
    text,
    tuple_,
    update,
)
from sqlalchemy.orm import Mapped, Session, aliased, mapped_column

from app.accounts.model import User, serialise_requests
from app.accounts.permission import Permission, Viewer
from app.catalog.access import is_open_to
from app.catalog.markdown import RENDERER, render_post, show_source
from app.catalog.maths import make_parser
from app.catalog.model import IS_CURRENT, Problem, Revision
from app.database.cursor import Slice, read_uuid_cursor, split_page, write_cursor
from app.database.engine import Base, is_storable
from app.errors import Conflict, Invalid, LimitReached, NotFound, check_all
from app.learning.lesson import get_lesson
from app.learning.solution import is_solution_open
from app.limits import EDIT_INTERVAL, MAX_POSTS_PER_HOUR

MAX_TITLE = 150
MAX_BODY = 5_000
# Of posts that a page renders again after the renderer has changed. It shows the source of the others.
MAX_RENDERED_AGAIN = 4 * MAX_BODY
HOUR = timedelta(hours=1)
# Stands for a code block that the reader may not see yet.
WITHHELD = "[…]"


class Post(Base):
    """A question, or with `question_id` an answer to it. Only a question has a title.

    `html`: the body as RENDERER of `rendered_by` made it. `html_without_code`: for readers to whom the solution is not
    open, if it differs. `seen_at`: when the question's author last saw its answers. `deleted_at`: all texts are empty
    from then on.
    """

    __tablename__ = "posts"
    __table_args__ = (
        CheckConstraint("(question_id IS NULL) OR (title = '' AND locked_at IS NULL)", name="answer"),
        Index(
            "ix_posts_questions",
            "problem_id",
            text("created_at DESC"),
            text("id DESC"),
            postgresql_where=text("question_id IS NULL"),
        ),
        Index("ix_posts_answers", "question_id", "created_at", "id", postgresql_where=text("question_id IS NOT NULL")),
        Index("ix_posts_user_id_created_at", "user_id", text("created_at DESC")),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    problem_id: Mapped[UUID] = mapped_column(ForeignKey(Problem.id, ondelete="CASCADE"))
    question_id: Mapped[UUID | None] = mapped_column(ForeignKey("posts.id", ondelete="CASCADE"))
    user_id: Mapped[UUID] = mapped_column(ForeignKey(User.id))
    title: Mapped[str] = mapped_column(default="", server_default="")
    body: Mapped[str]
    html: Mapped[str] = mapped_column(default="", server_default="", deferred=True, deferred_group="html")
    html_without_code: Mapped[str | None] = mapped_column(deferred=True, deferred_group="html")
    rendered_by: Mapped[str] = mapped_column(default="", server_default="", deferred=True, deferred_group="html")
    is_spoiler: Mapped[bool] = mapped_column(default=False, server_default=false())
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    edited_at: Mapped[datetime | None]
    deleted_at: Mapped[datetime | None]
    hidden_at: Mapped[datetime | None]
    locked_at: Mapped[datetime | None]
    seen_at: Mapped[datetime | None]


IS_QUESTION = Post.question_id.is_(None)
_Answer = aliased(Post)


class PostNotFound(NotFound):
    def __init__(self, post_id: UUID) -> None:
        super().__init__(f"There is no question or answer {post_id}. Its author may have deleted it.")


@dataclass(frozen=True, slots=True, kw_only=True)
class PostText:
    """What a user writes. `title` is for questions only."""

    title: str = ""
    body: str
    is_spoiler: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionSummary:
    """One line of a problem's questions. `username` is None, and `title` empty, once the question is deleted."""

    id: UUID
    title: str
    username: str | None
    created_at: datetime
    answers: int
    is_own: bool
    is_spoiler: bool
    is_hidden: bool
    is_locked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPage:
    """`next` is the cursor of the next page, None on the last one."""

    items: tuple[QuestionSummary, ...]
    next: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PostView:
    """A question or an answer as its reader may see it; `body` is Markdown.

    `username` is None, and the texts are empty, if it is deleted or hidden from the reader. `is_withheld`: the body is
    left out, or code blocks in it, until the solution of the problem is open to the reader.
    """

    id: UUID
    username: str | None
    title: str
    body: str
    created_at: datetime
    edited_at: datetime | None
    is_own: bool
    is_spoiler: bool
    is_withheld: bool
    is_deleted: bool
    is_hidden: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Discussion:
    """A question with a page of its answers, oldest first. `next` is the cursor of the next page."""

    problem: str
    problem_title: str
    question: PostView
    is_locked: bool
    answers: tuple[PostView, ...]
    next: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadAnswers:
    """A question of the user with answers by others that the user has not seen."""

    question_id: UUID
    problem: str
    title: str
    count: int


def ask(session: Session, viewer: Viewer, slug: str, written: PostText) -> UUID:
    """Ask a question, and return its ID. The same text within an hour is the same question.

    Raises NotFound, Invalid and LimitReached.
    """
    lesson = get_lesson(session, slug, viewer.id)
    written = _checked(written, has_title=True)
    return _write(session, viewer, Post(problem_id=lesson.problem_id, question_id=None, title=written.title), written)


def answer(session: Session, viewer: Viewer, question_id: UUID, written: PostText) -> UUID:
    """Answer a question, and return the answer's ID. The same text within an hour is the same answer.

    Raises NotFound, Invalid, LimitReached, and Conflict if the question is deleted or locked.
    """
    question = _get_question(session, viewer, question_id)
    written = _checked(written, has_title=False)
    if question.deleted_at:
        raise Conflict("this question is deleted and takes no more answers")
    hold_post(session, question_id)
    _require_unlocked(viewer, question)
    return _write(session, viewer, Post(problem_id=question.problem_id, question_id=question.id), written)


def edit(session: Session, viewer: Viewer, post_id: UUID, written: PostText) -> None:
    """Replace the texts of an own post. An edit can set the spoiler mark; only a moderator removes it.

    Raises NotFound, Invalid, LimitReached, and Conflict if it is locked.
    """
    serialise_requests(session, viewer.id)
    post = get_own_post(session, viewer, post_id)
    written = _checked(written, has_title=post.question_id is None)
    _require_unlocked(viewer, _question_of(session, post))
    is_spoiler = written.is_spoiler or (post.is_spoiler and not viewer.may(Permission.MODERATE))
    if (post.title, post.body, post.is_spoiler) == (written.title, written.body, is_spoiler):
        return
    times = select(func.max(Post.edited_at), func.now()).where(Post.user_id == viewer.id)
    latest, now = session.execute(times).one()
    if latest is not None and (wait := latest + EDIT_INTERVAL - now) > timedelta():
        raise LimitReached(f"you edited a post a moment ago; save again in {math.ceil(wait.total_seconds())} s", wait)
    texts: dict[str, Any] = {"title": written.title, "body": written.body}
    if post.body != written.body:
        texts |= _render(written.body)
    # A moderator may be setting the mark at this moment.
    if is_spoiler != post.is_spoiler:
        texts["is_spoiler"] = is_spoiler
    # The post may be deleted at this moment.
    which = (Post.id == post.id, Post.deleted_at.is_(None))
    session.execute(update(Post).where(*which).values(**texts, edited_at=func.now()))


def delete_post(session: Session, viewer: Viewer, post_id: UUID) -> tuple[str, UUID | None]:
    """Delete an own post, also one that its author can't read any more. Raises NotFound.

    Return the problem, and the question if the viewer can still read it.
    """
    post = session.get(Post, post_id)
    if post is None or post.user_id != viewer.id or post.deleted_at:
        raise PostNotFound(post_id)
    # This lock waits for answers and reports that are being written, which hold their post's row.
    session.refresh(post, with_for_update=True)
    empty_posts(session, Post.id == post.id)
    question = _question_of(session, post)
    is_readable = question is not post and can_see(viewer, question)
    return session.get_one(Problem, post.problem_id).slug, question.id if is_readable else None


def empty_posts(session: Session, which: ColumnElement[bool]) -> None:
    """Remove the texts of posts. Their rows stay: answers refer to questions, and the limit counts deleted posts."""
    texts = {"title": "", "body": "", "html": "", "html_without_code": None, "rendered_by": ""}
    values = texts | {"is_spoiler": False, "edited_at": None, "deleted_at": func.now()}
    session.execute(update(Post).where(which).values(values), execution_options={"synchronize_session": False})


def list_questions(session: Session, viewer: Viewer, slug: str, wanted: Slice) -> QuestionPage:
    """List a problem's questions, newest first. Raises NotFound and CursorInvalid."""
    lesson = get_lesson(session, slug, viewer.id)
    count = (
        select(func.count())
        .where(_Answer.question_id == Post.id, _Answer.deleted_at.is_(None), _Answer.hidden_at.is_(None))
        .scalar_subquery()
    )
    query = (
        select(Post, User.username, count.label("answers"))
        .join(User, User.id == Post.user_id)
        .where(IS_QUESTION, Post.problem_id == lesson.problem_id, _is_listed(viewer))
        .where(or_(Post.deleted_at.is_(None), _has_answers()))
        .order_by(Post.created_at.desc(), Post.id.desc())
    )
    if wanted.cursor is not None:
        query = query.where(tuple_(Post.created_at, Post.id) < tuple_(*read_uuid_cursor(wanted.cursor)))
    rows, last = split_page(session.execute(query.limit(wanted.limit + 1)).all(), wanted.limit)
    following = write_cursor(last.Post.created_at, last.Post.id) if last else None
    return QuestionPage(items=tuple(_summary(viewer, row) for row in rows), next=following)


def get_discussion(session: Session, viewer: Viewer, question_id: UUID, wanted: Slice) -> Discussion:
    """Return a question with answers. Of a hidden question, authors of answers see their own. Raises NotFound."""
    question = _get_answered(session, viewer, question_id)
    named = select(Problem.slug, Revision.listing["title"].astext).join(Revision, IS_CURRENT)
    slug, title = session.execute(named.where(Problem.id == question.problem_id)).one()
    is_open = is_solution_open(session, viewer, question.problem_id)
    answers = and_(Post.question_id == question.id, Post.deleted_at.is_(None))
    if not can_see(viewer, question):
        answers = and_(answers, Post.user_id == viewer.id)
    query = _with_name().where(answers).order_by(Post.created_at, Post.id)
    if wanted.cursor is not None:
        query = query.where(tuple_(Post.created_at, Post.id) > tuple_(*read_uuid_cursor(wanted.cursor)))
    rows, last = split_page(session.execute(query.limit(wanted.limit + 1)).all(), wanted.limit)
    asked = session.execute(_with_name().where(Post.id == question.id)).one()
    return Discussion(
        problem=slug,
        problem_title=title,
        question=_view(viewer, asked, is_open=is_open),
        is_locked=question.locked_at is not None,
        answers=tuple(_view(viewer, row, is_open=is_open) for row in rows),
        next=write_cursor(last.Post.created_at, last.Post.id) if last else None,
    )


def render_posts(session: Session, posts: Iterable[PostView]) -> Mapping[UUID, Markup]:
    """Return the HTML of the bodies as they are in `posts`. Stores what it renders again."""
    bodies = {post.id: post.body for post in posts if post.body}
    columns = (Post.id, Post.body, Post.html, Post.html_without_code, Post.rendered_by)
    rendered: dict[UUID, Markup] = {}
    left = MAX_RENDERED_AGAIN
    for row in session.execute(select(*columns).where(Post.id.in_(bodies))):
        body, html = bodies[row.id], dict(row._mapping)
        if row.rendered_by != RENDERER and (left := left - len(row.body)) >= 0:
            html = _render(row.body)
            which = (Post.id == row.id, Post.body == row.body, Post.deleted_at.is_(None))
            session.execute(update(Post).where(*which).values(html), execution_options={"synchronize_session": False})
        if html["rendered_by"] == RENDERER and body in (row.body, hide_code(row.body)):
            is_whole = body == row.body or html["html_without_code"] is None
            rendered[row.id] = Markup(html["html"] if is_whole else html["html_without_code"])
    return {post_id: rendered.get(post_id) or show_source(body) for post_id, body in bodies.items()}


def get_own_post(session: Session, viewer: Viewer, post_id: UUID) -> Post:
    """Return an own post that is not deleted. Raises NotFound."""
    post = get_readable_post(session, viewer, post_id)
    if post.user_id != viewer.id or post.deleted_at:
        raise PostNotFound(post_id)
    return post


def get_readable_post(session: Session, viewer: Viewer, post_id: UUID) -> Post:
    """Return a post that is not hidden from the viewer. Raises NotFound, also for a deleted post without answers."""
    is_there = or_(Post.deleted_at.is_(None), _has_answers())
    query = select(Post).join(Problem, Problem.id == Post.problem_id)
    post = session.scalars(query.where(Post.id == post_id, is_there, is_open_to(viewer.id))).one_or_none()
    if post is None or not can_see(viewer, post) or not can_see(viewer, _question_of(session, post)):
        raise PostNotFound(post_id)
    return post


def hold_post(session: Session, post_id: UUID) -> None:
    """Keep the post from being deleted until the transaction ends. Raises NotFound."""
    held = select(Post.id).where(Post.id == post_id, Post.deleted_at.is_(None))
    if session.scalar(held.with_for_update(read=True, key_share=True)) is None:
        raise PostNotFound(post_id)


def mark_seen(session: Session, viewer: Viewer, question_id: UUID) -> None:
    """The viewer has seen the answers so far, if the question is the viewer's. Raises NotFound."""
    question = _get_question(session, viewer, question_id)
    if question.user_id != viewer.id:
        return
    # Not the present time: an answer that is being written gets the time at which its transaction began.
    unread = select(func.max(_Answer.created_at)).join(Post, Post.id == _Answer.question_id)
    newest = session.scalar(unread.where(Post.id == question.id, _unread()))
    if newest is not None:
        session.execute(update(Post).where(Post.id == question.id).values(seen_at=newest))


def list_unread(session: Session, user_id: UUID) -> tuple[UnreadAnswers, ...]:
    """List the user's questions with unread answers, the newest question first."""
    query = (
        select(Post.id, Problem.slug, Post.title, func.count())
        .join(_Answer, and_(_Answer.question_id == Post.id, _unread()))
        .join(Problem, Problem.id == Post.problem_id)
        .where(Post.user_id == user_id, IS_QUESTION, Post.deleted_at.is_(None), is_open_to(user_id))
        .group_by(Post.id, Problem.slug)
        .order_by(Post.created_at.desc())
    )
    return tuple(
        UnreadAnswers(question_id=post_id, problem=slug, title=title, count=count)
        for post_id, slug, title, count in session.execute(query)
    )


@lru_cache(maxsize=256)  # 0.5 ms for a post of 500 characters, and a page shows many
def hide_code(body: str) -> str:
    """Replace each code block of a Markdown text by WITHHELD."""
    lines = body.split("\n")
    # Formulas and other marks inside of lines cost the most, and say nothing of blocks.
    for token in reversed(make_parser(body).disable("inline").parse(body)):
        if token.type in ("fence", "code_block") and token.map:
            first, end = token.map
            lines[first:end] = ["", WITHHELD, ""]
    return "\n".join(lines)


def _render(body: str) -> dict[str, Any]:
    """Return the columns with the HTML of a body."""
    shown = hide_code(body)
    html_without_code = None if shown == body else render_post(shown)
    return {"html": render_post(body), "html_without_code": html_without_code, "rendered_by": RENDERER}


def can_see(viewer: Viewer, post: Post) -> bool:
    """Whether the reader may know of the post. Hidden posts are for moderators and for their author."""
    return post.hidden_at is None or post.user_id == viewer.id or viewer.may(Permission.MODERATE)


def _checked(written: PostText, *, has_title: bool) -> PostText:
    """Return the texts as they are stored. Raises Invalid."""
    title, body = " ".join(written.title.split()), written.body.replace("\r\n", "\n").replace("\r", "\n").strip()

    def check_title() -> None:
        _check_text("title", title, MAX_TITLE if has_title else 0, is_needed=has_title)

    def check_body() -> None:
        _check_text("body", body, MAX_BODY, is_needed=True)

    check_all((check_title, check_body))
    return PostText(title=title, body=body, is_spoiler=written.is_spoiler)


def _check_text(field: str, given: str, most: int, *, is_needed: bool) -> None:
    if is_needed and not given:
        raise Invalid(field, f"The {'title' if field == 'title' else 'text'} is empty. Write one.")
    if len(given) > most:
        raise Invalid(field, f"The {field} has {len(given)} characters; the limit is {most}. Shorten it.")
    if not is_storable(given):
        raise Invalid(field, f"The {field} has a character that can't be stored. Remove it.")


def _write(session: Session, viewer: Viewer, post: Post, written: PostText) -> UUID:
    serialise_requests(session, viewer.id)
    own = (Post.user_id == viewer.id, Post.created_at > func.now() - HOUR)
    last = session.execute(select(Post).where(*own).order_by(Post.created_at.desc())).scalars().all()
    for earlier in last:
        place = (earlier.problem_id, earlier.question_id, earlier.title, earlier.body)
        if place == (post.problem_id, post.question_id, written.title, written.body):
            return earlier.id
    if len(last) >= MAX_POSTS_PER_HOUR:
        says = f"you wrote {len(last)} questions and answers in the last hour, which is the limit; write again later"
        now = session.scalars(select(func.now())).one()
        raise LimitReached(says, last[MAX_POSTS_PER_HOUR - 1].created_at + HOUR - now)
    post.user_id, post.body, post.is_spoiler = viewer.id, written.body, written.is_spoiler
    for name, value in _render(written.body).items():
        setattr(post, name, value)
    session.add(post)
    session.flush()
    return post.id


def _require_unlocked(viewer: Viewer, question: Post) -> None:
    if question.locked_at and not viewer.may(Permission.MODERATE):
        raise Conflict("this question is locked: a moderator has ended its discussion")


def _get_question(session: Session, viewer: Viewer, question_id: UUID) -> Post:
    """Raises NotFound."""
    question = get_readable_post(session, viewer, question_id)
    if question.question_id is not None:
        raise PostNotFound(question_id)
    return question


def _get_answered(session: Session, viewer: Viewer, question_id: UUID) -> Post:
    """Return a question that the viewer may read, or has answered. Raises NotFound."""
    own = select(Post.id).where(Post.question_id == question_id, Post.user_id == viewer.id, Post.deleted_at.is_(None))
    is_open = exists().where(Problem.id == Post.problem_id, is_open_to(viewer.id))
    question = session.scalar(select(Post).where(Post.id == question_id, own.exists(), is_open))
    return question or _get_question(session, viewer, question_id)


def _question_of(session: Session, post: Post) -> Post:
    return post if post.question_id is None else session.get_one(Post, post.question_id)


def _has_answers() -> ColumnElement[bool]:
    return exists().where(_Answer.question_id == Post.id, _Answer.deleted_at.is_(None))


def _is_listed(viewer: Viewer) -> ColumnElement[bool]:
    if viewer.may(Permission.MODERATE):
        return Post.id.is_not(None)
    return or_(Post.hidden_at.is_(None), Post.user_id == viewer.id)


def _unread() -> ColumnElement[bool]:
    """Whether an answer is by another user, shown, and later than the author's last look at the question."""
    return and_(
        _Answer.user_id != Post.user_id,
        _Answer.deleted_at.is_(None),
        _Answer.hidden_at.is_(None),
        _Answer.created_at > func.coalesce(Post.seen_at, Post.created_at),
    )


def _with_name() -> Select[Post, str]:
    return select(Post, User.username).join(User, User.id == Post.user_id)


def _summary(viewer: Viewer, row: Row[Any]) -> QuestionSummary:
    post: Post = row.Post
    return QuestionSummary(
        id=post.id,
        title=post.title,
        username=None if post.deleted_at else row.username,
        created_at=post.created_at,
        answers=row.answers,
        is_own=post.user_id == viewer.id,
        is_spoiler=post.is_spoiler,
        is_hidden=post.hidden_at is not None,
        is_locked=post.locked_at is not None,
    )


def _view(viewer: Viewer, row: Row[Post, str], *, is_open: bool) -> PostView:
    post, username = row
    is_own, is_shown = post.user_id == viewer.id, can_see(viewer, post)
    body = post.body if is_shown else ""
    if not (is_open or is_own):
        body = "" if post.is_spoiler else hide_code(body)
    return PostView(
        id=post.id,
        username=username if is_shown and not post.deleted_at else None,
        title=post.title if is_shown else "",
        body=body,
        created_at=post.created_at,
        edited_at=post.edited_at,
        is_own=is_own,
        is_spoiler=post.is_spoiler,
        is_withheld=is_shown and body != post.body,
        is_deleted=post.deleted_at is not None,
        is_hidden=post.hidden_at is not None,
    )
