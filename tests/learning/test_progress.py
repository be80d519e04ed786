from typing import Any
from uuid import UUID

import pytest
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.catalog.model import Revision
from app.catalog.publish import publish
from app.catalog.search import ProblemFilters, list_problems
from app.database.engine import Database
from app.learning.progress import states_of
from app.submissions.view import Mode
from tests.catalog.packages import make_listed
from tests.factories import make_judging, make_submission, make_user


def judged(session: Session, user: User, revision: Revision, verdict: str, mode: Mode = "submit") -> None:
    submission = make_submission(session, user, revision, mode)
    make_judging(session, submission.id, verdict=verdict)


def states(session: Session, user_id: UUID, **filters: Any) -> dict[str, str | None]:
    problems, _ = list_problems(session, ProblemFilters(**filters), states=states_of(user_id))
    return {problem.slug: problem.state for problem in problems}


@pytest.fixture
def ada(database: Database) -> User:
    """A user with one problem in each state, named after it. Grace has solved all of them."""
    with database.transaction() as session:
        ada, grace = make_user(session, "ada"), make_user(session, "grace")
        at = {slug: publish(session, make_listed(slug)) for slug in ("new", "tried", "sampled", "solved")}
        for revision in at.values():
            judged(session, grace, revision, "accepted")
        judged(session, ada, at["tried"], "wrong_answer")
        make_judging(session, make_submission(session, ada, at["tried"]).id)
        judged(session, ada, at["sampled"], "accepted", mode="sample")
        judged(session, ada, at["solved"], "accepted")
        judged(session, ada, at["solved"], "wrong_answer")
    return ada


def test_a_problem_is_new_tried_or_solved(session: Session, ada: User) -> None:
    everything = states(session, ada.id)
    tried = states(session, ada.id, state="tried")
    of_unknown = states(session, UUID(int=0), state="new")

    assert everything == {"new": "new", "tried": "tried", "sampled": "tried", "solved": "solved"}
    assert tried.keys() == {"tried", "sampled"}
    assert set(of_unknown.values()) == {"new"}
    assert len(of_unknown) == len(everything)
