"""Who can find and open a problem: listed, unlisted, draft or withdrawn.

The state belongs to the problem and not to a revision, so publishing a new revision does not change it. Submissions,
histories and solved problems stay in every state.
"""

from typing import get_args
from uuid import UUID

from sqlalchemy import ColumnElement, and_, exists, or_
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.permission import RULES, Permission
from app.audit import Act, Actor, record
from app.catalog.model import Availability, Problem
from app.catalog.publish import lock_problem
from app.errors import Invalid, ProblemNotFound

# Draft: only authors can open it and submit. Unlisted: everyone who knows the address can. Withdrawn: everyone can
# still read it, and no one can submit.
AVAILABILITIES: tuple[Availability, ...] = get_args(Availability)
# Problems in lists, tracks, searches and suggestions.
IS_LISTED = Problem.availability == "listed"


class ProblemWithdrawn(Invalid):
    """The problem takes no submissions any more."""

    def __init__(self, slug: str) -> None:
        super().__init__("problem", f"The problem {slug} is withdrawn and takes no new submissions. Yours are kept.")


def is_open_to(user_id: UUID | None) -> ColumnElement[bool]:
    """Whether the user may open the problem. Others are told that it does not exist."""
    if user_id is None:
        return Problem.availability != "draft"
    authors = RULES[Permission.WRITE_PROBLEMS].roles
    is_author = exists().where(and_(User.id == user_id, User.role.in_(authors)))
    return or_(Problem.availability != "draft", is_author)


def get_availability(session: Session, slug: str) -> Availability:
    """Raises ProblemNotFound."""
    return _get(session, slug).availability


def change_availability(session: Session, slug: str, availability: Availability, actor: Actor) -> None:
    """Raises ProblemNotFound."""
    lock_problem(session, slug)
    problem = _get(session, slug)
    before = problem.availability
    if before == availability:
        return
    problem.availability = availability
    act = Act(
        action="problem.availability_changed",
        target=slug,
        before={"availability": before},
        after={"availability": availability},
    )
    record(session, actor, act)
    session.flush()


def _get(session: Session, slug: str) -> Problem:
    problem = session.query(Problem).filter_by(slug=slug).one_or_none()
    if problem is None or problem.current_revision_id is None:
        raise ProblemNotFound(slug)
    return problem
