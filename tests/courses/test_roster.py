"""Rosters as teachers have them: what a table would change, and that it changes nothing else."""

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.courses.member import list_members
from app.courses.model import Member
from app.courses.roster import RosterChoice, RosterPlan, apply_roster, plan_roster
from app.database.engine import Database
from app.errors import Invalid
from tests.courses.seats import Taught, teach
from tests.factories import make_member, make_user

THREE = "number,name,email,section\n1,Ada Lovelace,ada@x.org,Mon\n2,Emmy Noether,emmy@x.org,Mon\n3,Sofia K.,,Tue\n"


def upload(session: Session, taught: Taught, text: str, **choice: bool) -> RosterPlan:
    plan = plan_roster(session, taught.seat, text)
    apply_roster(session, taught.actor, taught.seat, plan, RosterChoice(**choice))
    return plan


def students(session: Session, taught: Taught) -> dict[str, Member]:
    """Return the pending and other students by number."""
    is_here = (Member.course_id == taught.course.id, Member.role == "student", Member.left_at.is_(None))
    return {member.number: member for member in session.scalars(select(Member).where(*is_here))}


@pytest.mark.parametrize(
    "text",
    [
        THREE,
        "\ufeff" + THREE.replace("\n", "\r\n"),
        THREE.replace(",", ";"),
        THREE.replace(",", "\t").replace("\n", "\r"),
        'Student ID;First name;Last name;E-mail address;Group;Remark\n1;Ada;Lovelace;ada@x.org;Mon;"a;b"\n'
        "2;Emmy;Noether;emmy@x.org;Mon;\n3;Sofia;K.;;Tue;\n",
    ],
    ids=["commas", "mark and CRLF", "semicolons", "tabs and CR", "words of another system"],
)
def test_tables_of_every_spreadsheet_give_the_same_roster(database: Database, text: str) -> None:
    with database.transaction() as session:
        taught = teach(session)

        upload(session, taught, text)

        found = {number: (each.name, each.email, each.section) for number, each in students(session, taught).items()}
    assert found == {
        "1": ("Ada Lovelace", "ada@x.org", "Mon"),
        "2": ("Emmy Noether", "emmy@x.org", "Mon"),
        "3": ("Sofia K.", "", "Tue"),
    }


def test_a_roster_that_is_applied_again_changes_nothing(database: Database) -> None:
    with database.transaction() as session:
        taught = teach(session)
        upload(session, taught, THREE)

        again = plan_roster(session, taught.seat, THREE)

    assert (again.new, again.changed, again.unchanged, again.gone) == ((), (), 3, ())


def test_a_later_roster_names_the_new_the_changed_and_the_gone(database: Database) -> None:
    later = "number,name,section\n1,Ada King,Mon\n2,Emmy Noether,Tue\n4,Alan Turing,Tue\n"
    with database.transaction() as session:
        taught = teach(session)
        upload(session, taught, THREE)

        plan = upload(session, taught, later)

        kept = students(session, taught)
    assert [row.number for row in plan.new] == ["4"]
    assert [(change.row.number, change.fields) for change in plan.changed] == [("1", ("name",)), ("2", ("section",))]
    assert [member.number for member in plan.gone] == ["3"]
    assert sorted(kept) == ["1", "2", "3", "4"]
    assert kept["1"].email == "ada@x.org"


def test_students_who_are_gone_leave_only_if_the_instructor_says_so(database: Database) -> None:
    with database.transaction() as session:
        taught = teach(session)
        upload(session, taught, THREE)
        joined = students(session, taught)["1"]
        joined.user_id = make_user(session, "ada").id

        upload(session, taught, "number\n2\n", removes_gone=True)

        assert sorted(students(session, taught)) == ["2"]
        assert session.get_one(Member, joined.id).left_at is not None
        plan = upload(session, taught, THREE)
        assert [change.fields for change in plan.changed] == [("left_at",)]
        assert sorted(students(session, taught)) == ["1", "2", "3"]


def test_staff_never_leave_with_a_roster(database: Database) -> None:
    with database.transaction() as session:
        taught = teach(session)
        make_member(session, taught.course, make_user(session, "helper"), "assistant")

        upload(session, taught, THREE, removes_gone=True)

        roles = [member.role for member in list_members(session, taught.seat)]
    assert roles == ["instructor", "assistant", "student", "student", "student"]


def test_wrong_rows_are_named_by_line_and_nothing_is_applied(database: Database) -> None:
    wrong = (
        "number,email,name,section\n1,ada@x.org,Ada,Mon\n,,Nobody,Mon\n2,no address,Emmy,Mon\n1,ada@x.org,Other,Mon\n"
    )
    wrong += f"5,e@x.org,E,{'x' * 41}\n1,ada@x.org,Ada,Mon\n"
    with database.transaction() as session:
        taught = teach(session)

        plan = plan_roster(session, taught.seat, wrong)
        with pytest.raises(Invalid, match=r"4 rows are wrong; line 3: it has no number"):
            apply_roster(session, taught.actor, taught.seat, plan, RosterChoice())

        assert students(session, taught) == {}
    assert [fault.line for fault in plan.faults] == [3, 4, 5, 6]
    assert "line 2" in plan.faults[2].message
    assert plan.repeated == (7,)


def test_a_row_that_mixes_two_members_is_wrong(database: Database) -> None:
    with database.transaction() as session:
        taught = teach(session)
        upload(session, taught, THREE)

        plan = plan_roster(session, taught.seat, "number,email\n1,emmy@x.org\n")

    assert "different members" in plan.faults[0].message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("name,section\nAda,Mon\n", "one of them number, email or username"),
        ("number,student id\n1,2\n", "Two columns are the number"),
        ('number,name\n1,"Ada\n', "not CSV"),
        ("number\n1\0\n", "NUL"),
        ("number\n" + "1\n" * 5001, "5001 rows; the limit is 5000"),
    ],
)
def test_what_is_no_roster_is_refused_with_the_reason(database: Database, text: str, message: str) -> None:
    with database.transaction() as session, pytest.raises(Invalid, match=message):
        plan_roster(session, teach(session).seat, text)


def test_an_account_with_the_name_of_a_row_gets_the_place_only_if_the_instructor_says_so(database: Database) -> None:
    named = "username,number,name\nada,1,Ada Lovelace\nemmy,2,Emmy Noether\n"
    with database.transaction() as session:
        taught = teach(session)
        ada = make_user(session, "ada")
        make_member(session, taught.course, ada)  # by the code, and perhaps not the Ada of the roster

        without = upload(session, taught, named)
        pending = {number: each.user_id for number, each in students(session, taught).items() if number}
        upload(session, taught, named, takes_accounts=True)

        after = {number: each.user_id for number, each in students(session, taught).items()}
        again = plan_roster(session, taught.seat, named)
    assert [match.row.username for match in without.accounts] == ["ada"]
    assert pending == {"1": None, "2": None}
    assert after == {"1": ada.id, "2": None}
    assert (again.new, again.changed, again.accounts) == ((), (), ())


def test_a_name_that_a_spreadsheet_would_run_comes_back_as_it_was(database: Database) -> None:
    with database.transaction() as session:
        taught = teach(session)

        upload(session, taught, "number,name\n1,'=Ada\n2,'Abd\n")

        assert [each.name for _, each in sorted(students(session, taught).items())] == ["=Ada", "'Abd"]
