"""Creating a token and erasing an account need the owner's password."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import select

from app.accounts.model import ApiToken, User
from app.accounts.own_account import make_own_token
from app.accounts.reauthentication import Reauthentication, ReauthenticationFailed
from app.accounts.user import SignUp, sign_up
from app.admin.erasure import erase_self
from app.audit import Actor
from app.courses.model import Course, Sitting
from app.database.engine import Database
from app.errors import Conflict
from app.limits import Limits, RateLimitReached
from tests.factories import make_assignment, make_course, make_member, make_problem, make_submission, make_user

PASSWORD = "correct horse"


@pytest.fixture
def ada(database: Database) -> Actor:
    with database.transaction() as session:
        user = sign_up(session, SignUp(username="ada", password=PASSWORD))
        return Actor(user_id=user.id, channel="page", address="192.0.2.1")


def reauthenticate(password: str, limits: Limits) -> Reauthentication:
    return Reauthentication(password=password, limit=limits.reauthentications)


def test_without_it_neither_is_done_and_guesses_at_both_are_counted_together(database: Database, ada: Actor) -> None:
    limits = Limits()
    for _ in range(5):
        with pytest.raises(ReauthenticationFailed), database.transaction() as session:
            make_own_token(session, ada, reauthenticate("wrong horse", limits), "laptop")
        with pytest.raises(ReauthenticationFailed), database.transaction() as session:
            erase_self(session, ada, reauthenticate("wrong horse", limits))

    with pytest.raises(RateLimitReached), database.transaction() as session:
        erase_self(session, ada, reauthenticate(PASSWORD, limits))
    with database.transaction() as session:
        assert session.scalars(select(ApiToken)).all() == []
        assert session.scalars(select(User.erased_at)).one() is None


def test_an_exam_that_was_begun_is_not_erased_to_begin_it_again(database: Database, ada: Actor) -> None:
    assert ada.user_id is not None
    with database.transaction() as session:
        exam = make_assignment(session, make_course(session, title="Deep learning"), kind="exam", minutes=60)
        session.add(Sitting(assignment_id=exam.id, user_id=ada.user_id, addresses=["192.0.2.1"]))

    with pytest.raises(Conflict, match="began an exam: Deep learning"), database.transaction() as session:
        erase_self(session, ada, reauthenticate(PASSWORD, Limits()))


@pytest.mark.parametrize("way_out", ["another instructor", "archived"])
def test_the_only_instructor_of_an_open_course_is_told_the_way_out(
    database: Database, ada: Actor, way_out: str
) -> None:
    with database.transaction() as session:
        course = make_course(session, title="Deep learning")
        make_member(session, course, session.get_one(User, ada.user_id), "instructor")
        make_member(session, course, make_user(session, "helper"), "assistant")

    alone = "only instructor of Deep learning. Under Members"
    with pytest.raises(Conflict, match=alone), database.transaction() as session:
        erase_self(session, ada, reauthenticate(PASSWORD, Limits()))
    with database.transaction() as session:
        if way_out == "archived":
            session.get_one(Course, course.id).state = "archived"
        else:
            make_member(session, course, make_user(session, "grace"), "instructor")
    with database.transaction() as session:
        erase_self(session, ada, reauthenticate(PASSWORD, Limits()))

    with database.transaction() as session:
        assert session.get_one(User, ada.user_id).erased_at is not None


def test_graded_work_of_a_running_course_is_not_erased_by_its_owner(database: Database, ada: Actor) -> None:
    limits = Limits()
    with database.transaction() as session:
        course, revision = make_course(session, title="Deep learning"), make_problem(session)
        submission = make_submission(session, session.get_one(User, ada.user_id), revision)
        submission.assignment_id = make_assignment(session, course, revision).id

    with (
        pytest.raises(Conflict, match="Deep learning is kept until the course is archived; ask an admin"),
        database.transaction() as session,
    ):
        erase_self(session, ada, reauthenticate(PASSWORD, limits))
    with database.transaction() as session:
        make_member(session, course, make_user(session, "grace"), "instructor")
        session.get_one(Course, course.id).state = "archived"
        session.get_one(Course, course.id).keep_until = datetime(2099, 3, 31, tzinfo=UTC)
    dated = "Deep learning is kept until 2099-03-31; ask grace about it"
    with pytest.raises(Conflict, match=dated), database.transaction() as session:
        erase_self(session, ada, reauthenticate(PASSWORD, limits))
    with database.transaction() as session:
        session.get_one(Course, course.id).keep_until = None
    with database.transaction() as session:
        erase_self(session, ada, reauthenticate(PASSWORD, limits))

    with database.transaction() as session:
        assert session.get_one(User, ada.user_id).erased_at is not None
