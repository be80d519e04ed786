"""Members: who becomes one, how a pending one gets an account, and that a course keeps an instructor."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from sqlalchemy.orm import Session

from app.audit import Actor
from app.courses.course import CodeWrong, join_course, renew_join_code
from app.courses.extension import ExtensionWish, extend
from app.courses.member import (
    LinkSpent,
    MemberChange,
    MemberNotFound,
    NewMember,
    OwnRow,
    WasRemoved,
    add_member,
    change_member,
    claim_by_email,
    claim_by_link,
    get_link,
    make_links,
    remove_member,
)
from app.courses.model import Member
from app.courses.role import CourseNotFound, CourseRight, CourseRightMissing, get_seat
from app.database.engine import Database
from app.errors import Conflict, Invalid, Refused
from tests.courses.seats import as_viewer, teach
from tests.factories import make_assignment, make_course, make_member, make_user

NOBODY = Actor(user_id=None, channel="page")


def test_a_join_code_makes_a_student_until_it_ends(database: Database) -> None:
    with database.transaction() as session:
        taught, ada = teach(session), as_viewer(session, "ada")
        renew_join_code(session, taught.actor, taught.seat)
        first = str(taught.course.join_code)

        join_course(session, ada, f" {first[:5].upper()}-{first[5:]} ")
        renew_join_code(session, taught.actor, taught.seat, datetime.now(UTC) + timedelta(hours=1))
        second = str(taught.course.join_code)

        assert get_seat(session, ada, taught.course.slug).role == "student"
        emmy = as_viewer(session, "emmy")
        for code in (first, "", "x"):
            with pytest.raises(CodeWrong):
                join_course(session, emmy, code)
        taught.course.join_until = datetime.now(UTC) - timedelta(hours=1)
        session.flush()
        with pytest.raises(CodeWrong):
            join_course(session, emmy, second)


def test_a_draft_and_an_archived_course_take_no_code(database: Database) -> None:
    with database.transaction() as session:
        for state in ("draft", "archived"):
            taught = teach(session, state=state)
            renew_join_code(session, taught.actor, taught.seat)
            with pytest.raises(CodeWrong):
                join_course(session, as_viewer(session, f"to-{state}"), str(taught.course.join_code))


def test_a_removed_student_comes_back_with_no_code_link_or_address(database: Database) -> None:
    with database.transaction() as session:
        taught, ada = teach(session), as_viewer(session, "ada")
        renew_join_code(session, taught.actor, taught.seat)
        join_course(session, ada, str(taught.course.join_code))
        seat = get_seat(session, ada, taught.course.slug)
        assert seat.member is not None

        remove_member(session, taught.actor, taught.seat, seat.member.id)

        with pytest.raises(Refused, match="An instructor removed you"):
            join_course(session, ada, str(taught.course.join_code))
        other = make_member(session, taught.course, email="ada@x.org")
        with pytest.raises(WasRemoved):
            claim_by_link(session, NOBODY, ada.user, make_links(session, taught.actor, taught.seat)[0].secret)
        claim_by_email(session, NOBODY, ada.user, "ada@x.org")
        assert other.user_id is None
        with pytest.raises(CourseNotFound):
            get_seat(session, ada, taught.course.slug)


def test_a_personal_link_claims_a_place_once_and_only_when_it_is_sent(database: Database) -> None:
    with database.transaction() as session:
        taught, ada = teach(session), make_user(session, "ada")
        pending = make_member(session, taught.course, number="1", name="Ada Lovelace")
        old = make_links(session, taught.actor, taught.seat)[0].secret
        secret = make_links(session, taught.actor, taught.seat)[0].secret

        get_link(session, secret)
        assert session.get_one(Member, pending.id).user_id is None
        claim_by_link(session, NOBODY, ada, secret)

        claimed = session.get_one(Member, pending.id)
        assert (claimed.user_id, claimed.number) == (ada.id, "1")
        for spent in (secret, old):
            with pytest.raises(LinkSpent):
                claim_by_link(session, NOBODY, make_user(session), spent)


def test_a_personal_link_ends(database: Database) -> None:
    with database.transaction() as session:
        taught = teach(session)
        pending = make_member(session, taught.course)
        secret = make_links(session, taught.actor, taught.seat)[0].secret
        pending.claim_until = datetime.now(UTC) - timedelta(hours=1)
        session.flush()

        with pytest.raises(LinkSpent):
            get_link(session, secret)


def test_staff_can_not_claim_a_students_place(database: Database) -> None:
    with database.transaction() as session:
        taught = teach(session)
        make_member(session, taught.course)
        secret = make_links(session, taught.actor, taught.seat)[0].secret

        with pytest.raises(Refused, match="is instructor of this course"):
            claim_by_link(session, NOBODY, taught.instructor, secret)


def test_a_student_who_joined_with_the_code_gets_the_words_of_the_roster(database: Database) -> None:
    with database.transaction() as session:
        taught = teach(session)
        joined = make_member(session, taught.course, make_user(session, "ada"))
        pending = make_member(session, taught.course, number="1", name="Ada Lovelace", section="Mon")

        member = change_member(session, taught.actor, taught.seat, pending.id, MemberChange(username="ada"))

        assert member.id == joined.id
        assert (member.number, member.name, member.section) == ("1", "Ada Lovelace", "Mon")
        assert session.get(Member, pending.id) is None


def test_a_verified_address_claims_the_pending_places_and_no_others(database: Database) -> None:
    with database.transaction() as session:
        here, there, old = (make_course(session, state=state) for state in ("open", "draft", "archived"))
        pending = [make_member(session, course, email="Ada@X.org") for course in (here, there, old)]
        other = make_member(session, here, email="emmy@x.org")
        ada = make_user(session, "ada")

        claim_by_email(session, NOBODY, ada, "ada@x.org")

        assert [member.user_id for member in (*pending, other)] == [ada.id, ada.id, None, None]


def test_the_address_that_a_user_typed_claims_nothing(database: Database) -> None:
    with database.transaction() as session:
        taught, ada = teach(session), as_viewer(session, "ada")
        ada.user.email = "ada@x.org"
        pending = make_member(session, taught.course, email="ada@x.org", username="ada")
        renew_join_code(session, taught.actor, taught.seat)

        join_course(session, ada, str(taught.course.join_code))

        assert pending.user_id is None


def test_a_course_keeps_an_instructor(database: Database) -> None:
    with database.transaction() as session:
        taught = teach(session)
        assert taught.seat.member is not None
        own = taught.seat.member.id
        with pytest.raises(Conflict, match="only instructor"):
            remove_member(session, taught.actor, taught.seat, own)
        with pytest.raises(Conflict, match="only instructor"):
            change_member(session, taught.actor, taught.seat, own, MemberChange(role="student"))
        make_user(session, "emmy")
        add_member(session, taught.actor, taught.seat, NewMember(username="emmy", role="instructor"))

        remove_member(session, taught.actor, taught.seat, own)

        assert taught.seat.member.left_at is not None


def test_nobody_changes_their_own_role_or_time(session: Session) -> None:
    taught = teach(session)
    make_member(session, taught.course, make_user(session), "instructor")
    assert taught.seat.member is not None
    own = taught.seat.member.id
    homework = make_assignment(session, taught.course)

    for change in (MemberChange(role="student"), MemberChange(time_factor=Decimal(3))):
        with pytest.raises(OwnRow):
            change_member(session, taught.actor, taught.seat, own, change)
    with pytest.raises(OwnRow):
        extend(session, taught.actor, taught.seat, homework, [ExtensionWish(member=own, extra_attempts=1)])
    same = MemberChange(role="instructor", time_factor=Decimal(1), section="Mon")
    assert change_member(session, taught.actor, taught.seat, own, same).section == "Mon"


def test_only_a_user_who_is_no_member_is_added(database: Database) -> None:
    with database.transaction() as session:
        taught = teach(session)
        make_user(session, "emmy")
        add_member(session, taught.actor, taught.seat, NewMember(username="emmy", role="assistant"))

        with pytest.raises(Conflict, match="emmy is a member already"):
            add_member(session, taught.actor, taught.seat, NewMember(username="emmy"))
        with pytest.raises(Invalid, match="There is no user 'nobody'"):
            add_member(session, taught.actor, taught.seat, NewMember(username="nobody"))


def test_two_members_never_have_one_number(database: Database) -> None:
    with database.transaction() as session:
        taught = teach(session)
        make_member(session, taught.course, number="1")
        other = make_member(session, taught.course, number="2")

        with pytest.raises(Invalid, match="Another member has the number 1"):
            change_member(session, taught.actor, taught.seat, other.id, MemberChange(number="1"))


def test_members_of_another_course_are_not_found(database: Database) -> None:
    with database.transaction() as session:
        here, there = teach(session), teach(session)
        foreign = make_member(session, there.course)

        with pytest.raises(MemberNotFound):
            change_member(session, here.actor, here.seat, foreign.id, MemberChange(section="Mon"))


def test_a_right_is_for_the_roles_of_the_table(database: Database) -> None:
    with database.transaction() as session:
        taught = teach(session)
        ada, helper = as_viewer(session, "ada", taught.course), as_viewer(session, "helper", taught.course)
        seat = get_seat(session, helper, taught.course.slug)
        assert seat.member is not None
        seat.member.role = "assistant"
        session.flush()

        with pytest.raises(CourseRightMissing, match="You are here as student"):
            get_seat(session, ada, taught.course.slug, CourseRight.SEE_MEMBERS)
        get_seat(session, helper, taught.course.slug, CourseRight.SEE_MEMBERS)
        with pytest.raises(CourseRightMissing, match="This is for instructors of this course"):
            get_seat(session, helper, taught.course.slug, CourseRight.CHANGE_MEMBERS)
        with pytest.raises(CourseNotFound):
            get_seat(session, as_viewer(session, "stranger"), taught.course.slug)
