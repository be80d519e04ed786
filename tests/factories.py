"""Rows for tests; each factory names only what matters to its caller. They flush, and the caller's block commits."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import count
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.orm import Session

from app.accounts.model import Role, User
from app.accounts.permission import signed_in
from app.catalog.model import ExpectedOutput, Problem, Revision
from app.courses.model import Assignment, AssignmentProblem, Course, CourseRole, Member
from app.judging.verdicts import CaseResult, Verdict
from app.policy import PolicyRow
from app.queue.model import Job, WorkerRow
from app.submissions.leaderboard import Measurement, ReferenceMeasurement
from app.submissions.model import Judging, Submission
from app.submissions.view import Mode, SubmissionView
from app.submissions.view_query import ViewReader

_numbers = count(1)
JOB_COLUMNS = {
    "frameworks",
    "priority",
    "is_rationed",
    "attempt",
    "given_back",
    "worker",
    "started_at",
    "lease_until",
    "reason",
}


def make_user(session: Session, username: str | None = None, role: Role = "student") -> User:
    user = User(username=username or f"user-{next(_numbers)}", password_hash="!", role=role)
    session.add(user)
    session.flush()
    return user


def set_policy(session: Session, /, **values: Any) -> None:
    """Store settings as if an admin had set them, without checking their bounds."""
    session.add_all(PolicyRow(name=name, value=value) for name, value in values.items())
    session.flush()


def make_course(session: Session, /, slug: str | None = None, **columns: Any) -> Course:
    """An open course without members."""
    slug = slug or f"course-{next(_numbers)}"
    course = Course(slug=slug, **{"title": slug, "timezone": "Europe/Berlin", "state": "open"} | columns)
    session.add(course)
    session.flush()
    return course


def make_member(
    session: Session, course: Course, user: User | None = None, role: CourseRole = "student", **columns: Any
) -> Member:
    """A member of the course; without `user` a pending one."""
    joined = {"user_id": user.id, "joined_at": datetime.now(UTC)} if user else {}
    member = Member(course_id=course.id, role=role, **joined, **columns)
    session.add(member)
    session.flush()
    return member


def make_assignment(session: Session, /, course: Course, *revisions: Revision, **columns: Any) -> Assignment:
    """An assignment that is open for 7 days yet, with 10 points for each of the revisions' problems."""
    due_at = datetime.now(UTC) + timedelta(days=7)
    slug = f"assignment-{next(_numbers)}"
    usual = {"slug": slug, "title": slug, "opens_at": due_at - timedelta(days=14), "due_at": due_at}
    usual |= {"closes_at": columns.get("due_at", due_at)}
    assignment = Assignment(course_id=course.id, **usual | columns)
    assignment.problems = [
        AssignmentProblem(problem_id=revision.problem_id, position=position, points=Decimal(10))
        for position, revision in enumerate(revisions)
    ]
    session.add(assignment)
    session.flush()
    return assignment


def make_problem(session: Session, /, slug: str | None = None, **manifest: Any) -> Revision:
    """A problem with one revision, its current one; `manifest` holds keys that differ from the usual."""
    problem = Problem(slug=slug or f"problem-{next(_numbers)}")
    session.add(problem)
    session.flush()
    usual = {"title": problem.slug, "frameworks": ["numpy"], "variants": 3, "limits": {"gpu": False}}
    revision = Revision(
        problem_id=problem.id,
        number=1,
        digest=f"{next(_numbers):064x}",
        manifest=usual | manifest,
        files={},
        secret_seed=b"seed",
    )
    session.add(revision)
    session.flush()
    problem.current_revision_id = revision.id
    session.flush()
    return revision


def make_prepared(session: Session, revision: Revision, variants: int = 1) -> None:
    """Make a revision's first variants prepared, with a case each."""
    row = {"device": "cpu", "case_name": "case", "inputs": b"", "expected": b"", "image": "", "versions": {}}
    previews: dict[str, Any] = {"inputs_preview": {}, "expected_preview": {}}
    for variant in range(variants):
        session.add(ExpectedOutput(revision_id=revision.id, variant=variant, **row, **previews))
    session.flush()


def make_submission(
    session: Session, user: User | None = None, revision: Revision | None = None, mode: Mode = "submit"
) -> Submission:
    revision = revision or make_problem(session)
    submission = Submission(
        user_id=(user or make_user(session)).id,
        problem_id=revision.problem_id,
        revision_id=revision.id,
        source="def solve(): ...",
        mode=mode,
        variant=0,
    )
    session.add(submission)
    session.flush()
    return submission


def make_judging(session: Session, /, submission_id: UUID | None = None, **columns: Any) -> Judging:
    """Make the submission's current judging; earlier ones become not current. Without a verdict it has a job."""
    submission = session.get_one(Submission, submission_id) if submission_id else make_submission(session)
    if columns.get("is_current", True):
        session.execute(update(Judging).where(Judging.submission_id == submission.id).values(is_current=False))
    usual = {"queue": "cpu", "revision_id": submission.revision_id}
    usual |= {"finished_at": datetime.now(UTC)} if columns.get("verdict") else {}
    of_job = {name: columns.pop(name) for name in JOB_COLUMNS & columns.keys()} if not columns.get("verdict") else {}
    judging = Judging(submission_id=submission.id, **usual | columns)
    if judging.verdict is None:
        judging.job = Job(watched=submission.id, queue=judging.queue, **of_job)
    session.add(judging)
    session.flush()
    return judging


def view_submission(session: Session, submission: Submission) -> SubmissionView:
    """Return the view that the submission's user gets."""
    user_id = submission.user_id
    viewer = signed_in(session.get_one(User, user_id)) if user_id is not None else None
    return ViewReader(submission.id).read(session, viewer)[1]


def finish_judgings(
    session: Session, /, verdict: str = "accepted", *which: ColumnElement[bool], **columns: Any
) -> None:
    """End these judgings, or all that are not done, as a worker does."""
    ended = session.scalars(select(Judging.id).where(Judging.verdict.is_(None), *which)).all()
    session.execute(delete(Job).where(Job.judging_id.in_(ended)))
    done = {"verdict": verdict, "finished_at": func.now()} | columns
    session.execute(update(Judging).where(Judging.id.in_(ended)).values(**done))
    session.expire_all()


def make_worker(session: Session, /, *queues: str, **columns: Any) -> WorkerRow:
    """Make a worker that was seen just now."""
    usual = {
        "name": f"worker-{next(_numbers)}",
        "host": "here",
        "slots": 1,
        "device": "cpu",
        "gpus": [],
        "versions": {},
    }
    row = WorkerRow(id=uuid4(), queues=list(queues), **usual | columns)
    session.add(row)
    session.flush()
    return row


def make_measurement(session: Session, judging: Judging, wall_seconds: float, memory_bytes: int = 2**24) -> None:
    """Store what an accepted judging costs, as workers do."""
    place = {"judging_id": judging.id, "revision_id": judging.revision_id, "machine": "here"}
    session.add(Measurement(**place, wall_seconds=wall_seconds, memory_bytes=memory_bytes))
    session.flush()


def make_reference_measurement(
    session: Session, revision_id: UUID, wall_seconds: float, memory_bytes: int = 2**24
) -> None:
    place = {"revision_id": revision_id, "machine": "here"}
    session.add(ReferenceMeasurement(**place, wall_seconds=wall_seconds, memory_bytes=memory_bytes))
    session.flush()


def make_result(position: int, verdict: Verdict = Verdict.ACCEPTED, **columns: Any) -> CaseResult:
    """The result of a case: the first is a sample, the others are hidden."""
    usual: dict[str, Any] = {"name": f"case_{position}", "visibility": "hidden" if position else "sample"}
    usual |= {"wall_seconds": 0.25, "memory_bytes": 1024, "report": {"category": None}}
    return CaseResult(position=position, verdict=verdict, **usual | columns)
