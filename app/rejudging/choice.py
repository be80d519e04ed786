"""The choice of submissions to judge again, by criteria that must all hold, and its preview."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Self
from uuid import UUID

from pydantic import ConfigDict, Field
from sqlalchemy import Select, and_, func, literal, select
from sqlalchemy.orm import Session, aliased

from app.accounts.model import User
from app.catalog.model import IS_CURRENT, Problem, Revision
from app.catalog.publish import MAX_NUMBER, get_revision
from app.courses.model import Assignment, Course
from app.database.engine import storable
from app.errors import Invalid, NotFound, ProblemNotFound
from app.judging.verdicts import Verdict
from app.queue.route import select_queue
from app.rejudging.model import Onto
from app.submissions.cause import has_cause
from app.submissions.model import Judging, Submission
from app.validation import Body, FrozenModel, Moment, check_span

# The most submissions of a rejudging. More would take one worker all night, and give a list too long to read.
MOST = 20_000

MAX_CAUSE = 300

# A submission, the judging that counts, the revision to judge it on, and that one's queue.
Chosen = Select[UUID, int, UUID, str]
SHOWN = 50


class Choice(Body):
    """Leaves out samples unless `samples` is true, and cancelled submissions without that `verdict` or `ids`.

    `revision`: judged on the problem's revision with this number; `outdated`: on another one than the current one.
    `assignment`: handed in for it, as `COURSE/ASSIGNMENT`. `since` and `until`: when it was sent. `cause`: of a judge
    error, as the page of judge errors shows it.
    """

    model_config = ConfigDict(frozen=True)

    problem: str | None = None
    revision: int | None = Field(None, ge=1, le=MAX_NUMBER)
    outdated: bool = False
    since: Moment | None = None
    until: Moment | None = None
    verdict: Verdict | None = None
    cause: str | None = Field(None, max_length=MAX_CAUSE)
    user: str | None = None
    assignment: str | None = Field(None, pattern="^[^/]+/[^/]+$")
    ids: Annotated[tuple[UUID, ...], Field(fail_fast=True)] | None = Field(None, max_length=MOST)
    samples: bool = False

    def check(self) -> Self:
        """Raises Invalid."""
        if not self.model_dump(exclude={"samples"}, exclude_defaults=True):
            raise Invalid(
                "chosen",
                "All submissions match. Name a problem, a user, an assignment, a time, a verdict, a cause or ids.",
            )
        if self.revision is not None and self.problem is None:
            raise Invalid("chosen", "A revision's number needs its problem. Name the problem too.")
        check_span(self.since, self.until)
        return self


def to_stored(session: Session, choice: Choice) -> dict[str, Any]:
    """Return the choice as its row stores it, with the user's ID instead of the name. Raises NotFound."""
    stored: dict[str, Any] = choice.model_dump(mode="json", exclude_defaults=True)
    if choice.user is not None:
        stored["user"] = str(_user_id(session, choice.user))
    return stored


def from_stored(session: Session, stored: dict[str, Any]) -> Choice:
    if "user" in stored:
        stored = stored | {"user": session.get_one(User, UUID(stored["user"])).username}
    return Choice.model_validate(stored)


def select_chosen(session: Session, choice: Choice, onto: Onto) -> Chosen:
    """Select the judged submissions that match, in the order they were sent. Raises Invalid and NotFound.

    `own` is the revision of the judging that counts, not the one that the submission was sent for: a submission that
    was rejudged on a corrected revision stays on it.
    """
    return _select(session, choice.check(), onto).where(Judging.finished_at.is_not(None))


def count_unfinished(session: Session, choice: Choice) -> int:
    """Count the matching submissions that are not judged yet, and so left out. It stops where `count` does."""
    return count(session, _select(session, choice.check(), "own").where(Judging.verdict.is_(None)))


def count(session: Session, chosen: Chosen) -> int:
    """Count the submissions, at most to one above the limit of a rejudging."""
    some = chosen.order_by(None).limit(MOST + 1).subquery()
    return session.execute(select(func.count()).select_from(some)).scalar_one()


def select_older(session: Session, choice: Choice) -> Chosen:
    """Select submissions that were judged on a later revision than their problem's current one."""
    return select_chosen(session, choice, "current").where(Judging.revision_id.in_(_list_later(session)))


def _select(session: Session, choice: Choice, onto: Onto) -> Chosen:
    target = Judging.revision_id if onto == "own" else Problem.current_revision_id
    query: Chosen = (
        select(Submission.id, Judging.id, Revision.id, select_queue(session))
        .join(Judging, and_(Judging.submission_id == Submission.id, Judging.is_current))
        .join(Problem, Problem.id == Submission.problem_id)
        .join(Revision, Revision.id == target)
        .where(Submission.user_id.is_not(None))
        .order_by(Submission.created_at, Submission.id)
    )
    if choice.problem is not None:
        query = _of_problem(session, query, choice.problem, choice.revision)
    if choice.user is not None:
        query = query.where(Submission.user_id == _user_id(session, choice.user))
    if not choice.samples:
        query = query.where(Submission.mode == "submit")
    if choice.verdict != Verdict.CANCELLED and choice.ids is None:
        query = query.where(func.coalesce(Judging.verdict, "") != Verdict.CANCELLED)
    return _narrow(session, query, choice)


def _of_problem(session: Session, query: Chosen, slug: str, number: int | None) -> Chosen:
    problem_id = session.scalar(select(Problem.id).where(Problem.slug == storable(slug)))
    if problem_id is None:
        raise ProblemNotFound(slug)
    query = query.where(Submission.problem_id == problem_id)
    return query if number is None else query.where(Judging.revision_id == get_revision(session, slug, number).id)


def _narrow(session: Session, query: Chosen, choice: Choice) -> Chosen:
    if choice.outdated:
        query = query.where(Judging.revision_id.in_(_list_earlier(session)))
    if choice.since is not None:
        query = query.where(Submission.created_at >= choice.since)
    if choice.until is not None:
        query = query.where(Submission.created_at < choice.until)
    if choice.verdict is not None:
        query = query.where(Judging.verdict == literal(str(choice.verdict)))
    if choice.assignment is not None:
        query = query.where(Submission.assignment_id == _assignment_id(session, choice.assignment))
    if choice.cause is not None:
        query = query.where(has_cause(storable(choice.cause)))
    return query if choice.ids is None else query.where(Submission.id.in_(choice.ids))


def _list_earlier(session: Session) -> Sequence[UUID]:
    """Return the revisions that are not current. A query of its own is fast: they are few, and an index finds them."""
    return session.scalars(
        select(Revision.id).join(Problem, Problem.id == Revision.problem_id).where(~IS_CURRENT)
    ).all()


def _list_later(session: Session) -> Sequence[UUID]:
    """Return the revisions later than their problem's current one, because the author went back to an earlier one."""
    current = aliased(Revision)
    of_problem = select(Revision.id).join(Problem, Problem.id == Revision.problem_id)
    later = of_problem.join(current, current.id == Problem.current_revision_id).where(Revision.number > current.number)
    return session.scalars(later).all()


def _user_id(session: Session, username: str) -> UUID:
    user_id = session.scalar(select(User.id).where(User.username == storable(username)))
    if user_id is None:
        raise NotFound(f"There is no user {username[:40]!r}. See the list of users.")
    return user_id


def _assignment_id(session: Session, key: str) -> UUID:
    course, _, assignment = storable(key).partition("/")
    query = select(Assignment.id).join(Course, Course.id == Assignment.course_id)
    found = session.scalar(query.where(Course.slug == course, Assignment.slug == assignment))
    if found is None:
        raise NotFound(f"There is no assignment {key[:100]!r}. Write COURSE/ASSIGNMENT, as its page's address does.")
    return found


class Candidate(FrozenModel):
    """A submission to judge again. `problem` is a slug, `user` a name, `revision` the number of the judged revision."""

    submission: UUID
    problem: str
    user: str
    created_at: datetime
    verdict: Verdict
    score: int | None
    revision: int


class Preview(FrozenModel):
    """The submissions that a choice matches. `total`: those to judge again; counting stops above MOST.

    `unfinished`: not judged yet, so left out. `older`: to be judged on an older revision than now, because the problem
    went back to an earlier one. `items`: the first SHOWN by time.
    """

    total: int
    unfinished: int
    older: int
    items: tuple[Candidate, ...]

    @property
    def is_too_many(self) -> bool:
        return self.total > MOST


def preview(session: Session, choice: Choice, onto: Onto) -> Preview:
    """Return the preview of a choice. Raises Invalid and NotFound."""
    return Preview(
        total=count_chosen(session, choice, onto),
        unfinished=count_unfinished(session, choice),
        older=count(session, select_older(session, choice)) if onto == "current" else 0,
        items=_first(session, choice, onto),
    )


def count_chosen(session: Session, choice: Choice, onto: Onto) -> int:
    """Count the submissions to judge again. It stops where `count` does. Raises Invalid and NotFound."""
    return count(session, select_chosen(session, choice, onto))


def count_outdated(session: Session, slug: str) -> int:
    """Count a problem's submissions whose verdict is of another revision than the current one."""
    return count_chosen(session, Choice(problem=slug, outdated=True), "current")


def _first(session: Session, choice: Choice, onto: Onto) -> tuple[Candidate, ...]:
    columns = (Submission.id, Problem.slug, User.username, Submission.created_at, Judging.verdict, Judging.score)
    judged_by = aliased(Revision)
    query = select_chosen(session, choice, onto).with_only_columns(
        *columns, judged_by.number, maintain_column_froms=True
    )
    query = query.join(User, User.id == Submission.user_id).join(judged_by, judged_by.id == Judging.revision_id)
    names = ("submission", "problem", "user", "created_at", "verdict", "score", "revision")
    return tuple(
        Candidate.model_validate(dict(zip(names, row, strict=True))) for row in session.execute(query.limit(SHOWN))
    )
