"""Where a user goes on."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.catalog.model import Problem, Revision
from app.catalog.publish import publish
from app.catalog.track import list_tracks
from app.database.engine import Database
from app.learning.progress import LastProblem, find_last_problem, list_started, states_of
from app.submissions.draft import Draft
from tests.catalog.packages import make_listed
from tests.factories import make_judging, make_submission, make_user
from tests.transaction import commit

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)


@pytest.fixture
def ada(database: Database) -> User:
    with database.transaction() as session:
        for number, slug in enumerate(("one", "two", "three"), 1):
            publish(session, make_listed(slug, f"track: basics\nposition: {number}\n"))
        publish(session, make_listed("other", "track: zen\nposition: 1\n"))
        return make_user(session, "ada")


def revision_of(session: Session, slug: str) -> Revision:
    return session.scalars(
        select(Revision).join(Problem, Problem.id == Revision.problem_id).where(Problem.slug == slug)
    ).one()


def send(session: Session, user: User, slug: str, verdict: str | None, hours: int) -> None:
    submission = make_submission(session, user, revision_of(session, slug))
    submission.created_at = NOW + timedelta(hours=hours)
    make_judging(session, submission.id, verdict=verdict)


def type_draft(session: Session, user: User, slug: str, hours: int) -> None:
    problem_id = revision_of(session, slug).problem_id
    at = NOW + timedelta(hours=hours)
    session.add(Draft(user_id=user.id, problem_id=problem_id, source="x", saved_at=at))
    session.flush()


def last_of(database: Database, user: User) -> LastProblem | None:
    return commit(database, find_last_problem, user.id)


def test_it_is_the_unsolved_problem_that_was_worked_on_last(database: Database, ada: User) -> None:
    with database.transaction() as session:
        grace = make_user(session, "grace")
        send(session, ada, "one", "accepted", hours=5)
        send(session, ada, "two", "wrong_answer", hours=1)
        send(session, ada, "two", "runtime_error", hours=2)
        send(session, ada, "other", "wrong_answer", hours=0)
        send(session, grace, "three", "wrong_answer", hours=9)

    last = last_of(database, ada)

    assert last is not None
    assert (last.slug, last.state, last.verdict) == ("two", "tried", "runtime_error")
    assert (last.worked_at, last.has_unsent_draft) == (NOW + timedelta(hours=2), False)


def test_a_draft_counts_before_anything_is_submitted_and_after(database: Database, ada: User) -> None:
    with database.transaction() as session:
        send(session, ada, "one", "wrong_answer", hours=1)
        type_draft(session, ada, "three", hours=3)
    new = last_of(database, ada)
    commit(database, type_draft, ada, "one", hours=4)
    again = last_of(database, ada)

    assert new is not None
    assert again is not None
    assert (new.slug, new.state, new.verdict, new.has_unsent_draft) == ("three", "new", None, True)
    assert (again.slug, again.state, again.verdict, again.has_unsent_draft) == ("one", "tried", "wrong_answer", True)


def test_a_solved_or_withdrawn_problem_is_no_next_step(database: Database, ada: User) -> None:
    with database.transaction() as session:
        send(session, ada, "one", "accepted", hours=1)
        type_draft(session, ada, "one", hours=2)
        type_draft(session, ada, "other", hours=3)
        session.get_one(Problem, revision_of(session, "other").problem_id).availability = "withdrawn"

    assert last_of(database, ada) is None


def test_each_started_track_tells_its_next_problem(database: Database, ada: User) -> None:
    with database.transaction() as session:
        before = list_started(list_tracks(session, states_of(ada.id)))
        send(session, ada, "one", "accepted", hours=1)
        send(session, ada, "other", "accepted", hours=2)
    after = list_started(commit(database, list_tracks, states_of(ada.id)))

    assert before == ()
    assert [(track.slug, track.next.slug if track.next else None) for track in after] == [("basics", "two")]
