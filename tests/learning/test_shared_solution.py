"""Shared solutions: by the choice of their authors, for readers to whom the solution is open."""

from uuid import UUID, uuid4

import pytest
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.permission import Viewer, signed_in
from app.catalog.model import Revision
from app.database.cursor import CursorInvalid, Slice
from app.database.engine import Database
from app.errors import Conflict, NotFound
from app.learning import shared_solution
from app.learning.shared_solution import (
    Order,
    SharedSolution,
    find_shareable,
    get_shared,
    list_shared,
    read_sharing,
    share,
    withdraw,
)
from app.learning.solution import SolutionLocked, show_solution
from app.submissions.model import Judging, Submission
from tests.factories import make_judging, make_measurement, make_reference_measurement, make_submission, make_user
from tests.learning.lessons import make_accepted

pytestmark = pytest.mark.usefixtures("revision")
SLUG = "scaled_sum"


def sign_in(session: Session, username: str | None = None, role: str = "student") -> Viewer:
    return signed_in(make_user(session, username, role=role))  # type: ignore[arg-type]


def make_shared(
    session: Session, revision: Revision, username: str, source: str = "x = 1\n", ratio: float | None = None
) -> UUID:
    """Share an accepted solution of a new user; `ratio`: its time over the reference's."""
    viewer = sign_in(session, username)
    submission_id = make_accepted(session, viewer.user, revision)
    session.get_one(Submission, submission_id).source = source
    if ratio is not None:
        judging = session.query(Judging).filter_by(submission_id=submission_id).one()
        make_measurement(session, judging, ratio)
    session.flush()
    share(session, viewer, submission_id)
    return submission_id


def names(session: Session, viewer: Viewer, order: Order) -> list[str]:
    """The names on all pages, each of which has two entries."""
    found, cursor = list[str](), None
    while True:
        page = list_shared(session, viewer, SLUG, order, Slice(cursor=cursor, limit=2))
        assert len(page.items) <= 2
        found += [item.username for item in page.items]
        if page.next is None:
            return found
        cursor = page.next


def test_nothing_is_shared_unless_its_author_says_so(session: Session, revision: Revision) -> None:
    ada = sign_in(session)
    make_accepted(session, make_user(session), revision)
    make_accepted(session, ada.user, revision)

    assert list_shared(session, ada, SLUG, "newest", Slice()).items == ()


def test_shared_solutions_are_locked_as_the_solution_is(session: Session, revision: Revision) -> None:
    shared = make_shared(session, revision, "grace")
    solved, gave_up, author = sign_in(session), sign_in(session), sign_in(session, role="author")
    make_accepted(session, solved.user, revision)
    show_solution(session, gave_up.id, SLUG)
    locked = sign_in(session)
    make_accepted(session, locked.user, revision, mode="sample")

    for viewer in (solved, gave_up, author):
        assert names(session, viewer, "newest") == ["grace"]
        assert get_shared(session, viewer, shared).source == "x = 1\n"
    with pytest.raises(SolutionLocked):
        list_shared(session, locked, SLUG, "newest", Slice())
    with pytest.raises(SolutionLocked):
        get_shared(session, locked, shared)


def test_a_withdrawn_solution_is_gone_at_once_and_can_be_shared_again(session: Session, revision: Revision) -> None:
    reader = sign_in(session)
    shared = make_shared(session, revision, "grace")
    make_accepted(session, reader.user, revision)
    submission = session.get_one(Submission, shared)
    grace = signed_in(session.get_one(User, submission.user_id))
    share(session, grace, shared)

    withdraw(session, grace, shared)
    withdraw(session, grace, shared)

    assert read_sharing(session, submission) == "private"
    assert find_shareable(session, grace.id, SLUG) == shared
    assert names(session, reader, "newest") == []
    with pytest.raises(NotFound, match="may have withdrawn it"):
        get_shared(session, reader, shared)
    share(session, grace, shared)
    assert names(session, reader, "newest") == ["grace"]
    assert find_shareable(session, grace.id, SLUG) is None


def test_only_an_own_accepted_submission_can_be_shared(session: Session, revision: Revision) -> None:
    ada, admin = sign_in(session), sign_in(session, role="admin")
    sample = make_accepted(session, ada.user, revision, mode="sample")
    waiting = make_judging(session, make_submission(session, ada.user, revision).id).submission_id
    right = make_accepted(session, ada.user, revision)

    for submission_id in (sample, waiting):
        assert read_sharing(session, session.get_one(Submission, submission_id)) == "none"
        with pytest.raises(Conflict, match="accepted on all cases"):
            share(session, ada, submission_id)
    for viewer in (admin, sign_in(session)):
        with pytest.raises(NotFound):
            share(session, viewer, right)
        with pytest.raises(NotFound):
            withdraw(session, viewer, right)
    with pytest.raises(NotFound):
        share(session, ada, uuid4())


def test_one_user_shares_a_few_solutions_to_a_problem(
    session: Session, monkeypatch: pytest.MonkeyPatch, revision: Revision
) -> None:
    monkeypatch.setattr(shared_solution, "MAX_SHARED", 2)
    ada = sign_in(session)
    first, second, third = (make_accepted(session, ada.user, revision) for _ in range(3))
    for submission_id in (first, second, second):
        share(session, ada, submission_id)

    with pytest.raises(Conflict, match="withdraw one first"):
        share(session, ada, third)
    withdraw(session, ada, first)
    share(session, ada, third)


def test_they_are_listed_by_time_by_length_and_by_age(database: Database, revision: Revision) -> None:
    """A solution that was not measured comes after all measured ones."""
    at = {"quick": (0.5, "x" * 30), "even": (1.234, "x" * 20), "slow": (7.0, "x" * 10), "new": (None, "x" * 40)}
    with database.transaction() as session:
        make_reference_measurement(session, revision.id, 1.0)
    for name, (ratio, source) in at.items():
        with database.transaction() as session:
            make_shared(session, revision, name, source, ratio)

    with database.transaction() as session:
        reader = sign_in(session)
        make_accepted(session, reader.user, revision)
        items = list_shared(session, reader, SLUG, "fastest", Slice()).items

        assert names(session, reader, "fastest") == ["quick", "even", "slow", "new"]
        assert names(session, reader, "shortest") == ["slow", "even", "quick", "new"]
        assert names(session, reader, "newest") == ["new", "slow", "even", "quick"]
        assert [(item.ratio, item.length) for item in items] == [(0.5, 30), (1.2, 20), (7.0, 10), (None, 40)]


def test_rejudged_solutions_and_those_of_suspended_users_are_hidden(session: Session, revision: Revision) -> None:
    reader = sign_in(session)
    rejudged = make_shared(session, revision, "rejudged")
    suspended = session.get_one(Submission, make_shared(session, revision, "suspended"))
    make_accepted(session, reader.user, revision)
    make_judging(session, rejudged, verdict="wrong_answer", score=0)
    session.get_one(User, suspended.user_id).is_active = False
    session.flush()

    assert names(session, reader, "fastest") == []


@pytest.mark.parametrize("order", ["fastest", "shortest", "newest"])
def test_a_cursor_of_another_order_is_refused(session: Session, order: Order, revision: Revision) -> None:
    other: Order = "shortest" if order == "fastest" else "fastest"
    for name in ("first", "second"):
        make_shared(session, revision, name)
    reader = sign_in(session, role="author")
    cursor = list_shared(session, reader, SLUG, other, Slice(limit=1)).next

    for wrong in (cursor, "nothing", "e30"):
        with pytest.raises(CursorInvalid):
            list_shared(session, reader, SLUG, order, Slice(cursor=wrong))


def test_a_hidden_solution_is_for_moderators_and_its_author_who_can_not_bring_it_back(
    session: Session, revision: Revision
) -> None:
    reader, author = sign_in(session), sign_in(session, role="author")
    make_accepted(session, reader.user, revision)
    shared = make_shared(session, revision, "grace")
    submission = session.get_one(Submission, shared)
    grace = signed_in(session.get_one(User, submission.user_id))
    session.get_one(SharedSolution, shared).hidden_at = submission.created_at
    session.flush()

    withdraw(session, grace, shared)
    share(session, grace, shared)

    assert read_sharing(session, submission) == "hidden"
    assert [names(session, viewer, "newest") for viewer in (reader, grace, author)] == [[], ["grace"], ["grace"]]
    with pytest.raises(NotFound):
        get_shared(session, reader, shared)
