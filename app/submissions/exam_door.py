"""Close the rest of the site to a student who writes an exam. Each request of a signed-in user passes here.

The exam's own pages and calls are open, and so are the submissions that the student has sent since the beginning.
"""

import re
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from app.accounts.permission import Viewer
from app.courses.sitting import (
    MOST_ADDRESSES,
    Place,
    RunningExam,
    SittingElsewhere,
    WrongPlace,
    check_place,
    find_running,
)
from app.errors import Refused
from app.submissions.model import Submission

_SUBMISSION = re.compile("(?:/api/v1)?/submissions/([0-9a-f-]{36})(?:/result|/events|/source|/cancel)?")
ALWAYS_OPEN = ("/sign-out",)


class ExamRunning(Refused):
    def __init__(self, title: str) -> None:
        super().__init__(f"You are writing {title}. Until you end it, only its own pages are open to you.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamDoor:
    """The exam that the user is writing. `refusal`: why this request is refused; None if it is not.

    `new_address`: from where the exam goes on now, if it is not known yet.
    """

    exam: RunningExam
    refusal: Refused | None
    new_address: str | None


def find_door(session: Session, viewer: Viewer, path: str, place: Place) -> ExamDoor | None:
    """Return None for a user who writes no exam."""
    exam = find_running(session, viewer.id) if viewer.has_sitting else None
    if exam is None:
        return None
    refusal = _refuse(session, exam, path, place)
    known = exam.sitting.addresses
    goes_on = refusal is None and exam.sitting.credential_id == place.credential_id
    is_new = goes_on and place.address not in known and len(known) < MOST_ADDRESSES
    return ExamDoor(exam=exam, refusal=refusal, new_address=place.address if is_new else None)


def _refuse(session: Session, exam: RunningExam, path: str, place: Place) -> Refused | None:
    if path in ALWAYS_OPEN:
        return None
    try:
        check_place(exam.assignment, place)
    except WrongPlace as wrong:
        return wrong
    is_own_page = path == exam.path or path.removeprefix("/api/v1").startswith(f"{exam.path}/")
    if exam.sitting.credential_id is None:  # unlocked: only its beginning is open
        may_begin = path in (exam.path, f"{exam.path}/begin", f"/api/v1{exam.path}/sitting")
        return None if may_begin else ExamRunning(exam.assignment.title)
    if exam.sitting.credential_id != place.credential_id:
        return SittingElsewhere(exam.assignment.title)
    if is_own_page or path == f"/api/v1{exam.path}" or _is_of_exam(session, exam, path):
        return None
    return ExamRunning(exam.assignment.title)


def _is_of_exam(session: Session, exam: RunningExam, path: str) -> bool:
    """Whether the path is that of a submission which the student has sent since the beginning."""
    found = _SUBMISSION.fullmatch(path)
    if found is None:
        return False
    try:
        submission_id = UUID(found[1])
    except ValueError:
        return False
    is_own = (Submission.id == submission_id, Submission.user_id == exam.sitting.user_id)
    return session.scalars(select(exists().where(*is_own, Submission.created_at >= exam.sitting.started_at))).one()
