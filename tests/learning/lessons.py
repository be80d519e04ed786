"""A published problem with three hints and a quiz, and what becomes of its submissions."""

from uuid import UUID

from sqlalchemy.orm import Session

from app.accounts.model import User
from app.catalog.model import Revision
from app.catalog.publish import publish
from app.submissions.view import Mode
from tests.catalog.packages import PROBLEM, edited, make_package
from tests.factories import make_judging, make_submission

HINTS = ("Use <b>numpy</b>.", "Add first.", "Then multiply by `scale`.")
QUIZ = """\
quiz:
  - {question: "What is 1 + 1?", choices: ["1", "2"], answer: 1, explanation: Count on your fingers.}
  - {question: "What is 2 + 2?", choices: ["4", "5", "6"], answer: 0}
"""
TAUGHT = (
    edited("hints: [Use numpy.]\n", f"hints: {list(HINTS)}\n").split("quiz:\n")[0]
    + QUIZ
    + PROBLEM[PROBLEM.index("license:") :]
)


def publish_lesson(session: Session, problem: str = TAUGHT) -> Revision:
    return publish(session, make_package(problem=problem))


def make_accepted(session: Session, user: User, revision: Revision, mode: Mode = "submit") -> UUID:
    """A submission that was sent now and accepted; its id."""
    submission = make_submission(session, user, revision, mode)
    make_judging(session, submission.id, verdict="accepted", score=100)
    return submission.id
