"""Rows of an assignment whose hand-ins are compared."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.permission import Viewer, signed_in
from app.audit import Actor
from app.catalog.model import Problem, Revision
from app.courses.model import Assignment
from app.queue.model import Job
from app.similarity.check import NewCheck, begin_check
from app.similarity.compare import BINS
from app.similarity.model import SimilarityCheck, SimilarPair
from tests.courses.seats import Taught, teach
from tests.factories import make_assignment, make_judging, make_member, make_problem, make_submission, make_user


@dataclass(frozen=True, slots=True, kw_only=True)
class Homework:
    """An assignment with one problem. `key`: as addresses name it."""

    taught: Taught
    revision: Revision
    assignment: Assignment
    slug: str

    @property
    def key(self) -> str:
        return f"{self.taught.course.slug}/{self.assignment.slug}"

    @property
    def viewer(self) -> Viewer:
        return signed_in(self.taught.instructor)


def make_homework(session: Session, files: dict[str, str] | None = None) -> Homework:
    taught, revision = teach(session), make_problem(session)
    revision.files = files or {}
    slug = session.get_one(Problem, revision.problem_id).slug
    assignment = make_assignment(session, taught.course, revision)
    return Homework(taught=taught, revision=revision, assignment=assignment, slug=slug)


def hand_in(session: Session, homework: Homework, user: User, source: str, minute: int = 0, **judging: Any) -> UUID:
    """Hand in an accepted program, so many minutes after the opening."""
    submission = make_submission(session, user, homework.revision)
    submission.source, submission.assignment_id = source, homework.assignment.id
    submission.created_at = homework.assignment.opens_at + timedelta(minutes=1 + minute)
    make_judging(session, submission.id, **{"verdict": "accepted", "score": 100} | judging)
    return submission.id


def join(session: Session, homework: Homework, username: str, **columns: Any) -> User:
    user = make_user(session, username)
    make_member(session, homework.taught.course, user, **columns)
    return user


def begin(session: Session, /, homework: Homework, **wish: Any) -> SimilarityCheck:
    wanted = NewCheck(**{"problem": homework.slug, "assignment": homework.key} | wish)
    actor = Actor(user_id=homework.viewer.id, channel="page")
    return begin_check(session, homework.viewer, actor, wanted)


def read_check(session: Session) -> SimilarityCheck:
    return session.scalars(select(SimilarityCheck).order_by(SimilarityCheck.created_at.desc()).limit(1)).one()


def finish(session: Session, check: SimilarityCheck, *pairs: tuple[UUID, UUID, float], **columns: Any) -> None:
    """End a check with these pairs: the submission that was sent first, the other one, and their similarity."""
    session.execute(delete(Job).where(Job.check_id == check.id))
    session.refresh(check)
    histogram = [0] * BINS
    for number, (left, right, similarity) in enumerate(pairs, 1):
        histogram[min(int(similarity * BINS / 100), BINS - 1)] += 1
        ids = {"check_id": check.id, "number": number, "left_id": left, "right_id": right}
        session.add(SimilarPair(**ids, similarity=similarity, blocks=[[2, 3, 1, 2], [5, 5, 4, 4]]))
    found = {"programs": len(pairs) + 1, "median_lines": 60, "histogram": histogram} | columns
    for name, value in ({"outcome": "done", "finished_at": func.now()} | found).items():
        setattr(check, name, value)
    session.flush()
