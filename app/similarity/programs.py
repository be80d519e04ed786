"""Choose the programs that a check compares."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import and_, func, select
from sqlalchemy.orm import Session

from app.catalog.model import Revision
from app.courses.model import Assignment
from app.grading.hand_ins import list_hand_ins
from app.judging.verdicts import Verdict
from app.similarity.model import SimilarityCheck
from app.submissions.model import Judging, Submission

# Of more programs the newest are compared: of one student, and of all.
MOST_OF_ONE, MOST_PROGRAMS = 20, 3000


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A submission that is compared. The order is that of sending."""

    submission_id: UUID
    user_id: UUID


def choose_programs(session: Session, check: SimilarityCheck) -> list[Chosen]:
    """Return the programs, the earliest first."""
    which = [Submission.problem_id == check.problem_id, Submission.mode == "submit"]
    if check.assignment_id is not None:
        which.append(Submission.assignment_id == check.assignment_id)
    if check.compared == "counting":
        which.append(Submission.id.in_(_list_counting(session, check)))
    latest_first = (Submission.created_at.desc(), Submission.id.desc())
    place = func.row_number().over(partition_by=Submission.user_id, order_by=latest_first)
    placed = select(Submission.id, place.label("place")).where(*which).subquery()
    chosen = select(Submission.id, Submission.user_id).join(placed, placed.c.id == Submission.id)
    chosen = chosen.where(placed.c.place <= MOST_OF_ONE).order_by(*latest_first).limit(MOST_PROGRAMS)
    return [Chosen(submission_id=row.id, user_id=row.user_id) for row in reversed(session.execute(chosen).all())]


def _list_counting(session: Session, check: SimilarityCheck) -> Sequence[UUID]:
    """List the hand-ins behind the grades; without an assignment, each user's last accepted submission."""
    if check.assignment_id is None:
        judged = and_(Judging.submission_id == Submission.id, Judging.is_current)
        accepted = select(Submission.id).join(Judging, judged).where(Judging.verdict == Verdict.ACCEPTED)
        accepted = accepted.where(Submission.problem_id == check.problem_id, Submission.mode == "submit")
        last = accepted.distinct(Submission.user_id).order_by(Submission.user_id, Submission.created_at.desc())
        return session.scalars(last).all()
    assignment = session.get_one(Assignment, check.assignment_id)
    sent = select(Submission.user_id).where(Submission.assignment_id == assignment.id).distinct()
    hand_ins = [
        each for user_id in session.scalars(sent) if user_id for each in list_hand_ins(session, assignment, user_id)
    ]
    return [each.id for each in hand_ins if each.counts]


def read_own_sources(session: Session, check: SimilarityCheck, programs: Sequence[Chosen]) -> list[str]:
    """Return all code of the package in the revisions that the programs were sent for: it was given or can be read."""
    sent = select(Submission.revision_id).where(Submission.id.in_([each.submission_id for each in programs]))
    files = session.scalars(
        select(Revision.files).where(Revision.problem_id == check.problem_id, Revision.id.in_(sent))
    )
    return sorted({text for each in files for path, text in each.items() if path.endswith(".py")})
