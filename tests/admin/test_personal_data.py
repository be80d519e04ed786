"""The personal data export: all data of the user, none of other users, and no secret."""

import json
import zipfile
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.accounts.model import ApiToken, User
from app.admin import export, personal_data
from app.admin.export import read_chunks
from app.admin.personal_data import export_user, list_audit
from app.admin.user_change import change_role
from app.audit import COMMAND, Actor, AuditEvent
from app.courses.model import Assignment
from app.database.engine import Database
from app.errors import LimitReached, NotFound
from app.grading.adjustment import NewAdjustment, adjust
from app.submissions.model import Submission
from tests.admin.user_data import QUESTION, SOURCE, make_rich_user
from tests.courses.seats import teach
from tests.factories import make_assignment, make_judging, make_member, make_problem, make_submission, make_user
from tests.rejudging.rows import add_revision
from tests.similarity.cohort_rows import begin, finish, hand_in, join, make_homework


@pytest.fixture
def ada(database: Database) -> User:
    with database.transaction() as session:
        admin = make_user(session, "root", role="admin")
        user = make_rich_user(session)
        make_rich_user(session, "grace")
        by_admin = Actor(user_id=admin.id, channel="page", address="198.51.100.1")
        change_role(session, by_admin, user.id, "student")
    return user


def read(database: Database, user: User) -> dict[str, str]:
    file = export_user(database, COMMAND, user.id)
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_it_holds_what_there_is_of_a_user(database: Database, ada: User) -> None:
    files = read(database, ada)
    account, learning = json.loads(files["account.json"]), json.loads(files["learning.json"])

    assert (account["username"], account["email"], account["has_password"]) == ("ada", "ada@example.org", True)
    assert [token["name"] for token in account["tokens"]] == ["the laptop of ada"]
    assert [row["address"] for row in account["sessions"]] == ["192.0.2.7"]
    assert len(account["identities"]) == 1
    assert {name: len(rows) for name, rows in learning.items()} == dict.fromkeys(learning, 1)
    assert [draft["source"] for draft in json.loads(files["drafts.json"])] == ["not yet sent"]
    discussions = json.loads(files["discussions.json"])
    assert {name: len(rows) for name, rows in discussions.items()} == dict.fromkeys(discussions, 1)
    assert discussions["posts"][0]["body"] == QUESTION
    assert [row["slug"] for row in json.loads(files["authoring.json"])["verifications"]] == ["sum"]
    assert [row["addresses"] for row in json.loads(files["courses.json"])["sittings"]] == [["192.0.2.1"]]
    assert len(json.loads(files["similar.json"])) == 1


def test_each_submission_is_a_source_and_how_it_was_judged(database: Database, ada: User) -> None:
    files = read(database, ada)
    (source,) = [name for name in files if name.endswith(".py")]
    judged: dict[str, Any] = json.loads(files[source.replace(".py", ".json")])

    assert files[source] == SOURCE
    assert (judged["verdict"], judged["score"], judged["mode"]) == ("accepted", 100, "submit")
    assert [case["name"] for case in judged["cases"]] == ["small"]


def test_the_revision_that_is_told_is_the_one_that_the_verdict_is_of(database: Database) -> None:
    with database.transaction() as session:
        user, first = make_user(session), make_problem(session)
        submission = make_submission(session, user, first)
        make_judging(session, submission.id, verdict="accepted", revision_id=add_revision(session, first).id)

    files = read(database, user)

    (told,) = [json.loads(text) for name, text in files.items() if name.startswith("submissions/") and ".json" in name]
    assert (told["verdict"], told["revision"]) == ("accepted", 2)


def test_more_submissions_than_one_batch_are_all_there(database: Database) -> None:
    with database.transaction() as session:
        user = make_user(session)
        revision = make_problem(session)
        for _ in range(120):
            make_judging(session, make_submission(session, user, revision).id)

    assert len([name for name in read(database, user) if name.endswith(".py")]) == 120


def test_the_export_lists_actions_of_admins_without_their_names(database: Database, ada: User) -> None:
    events = json.loads(read(database, ada)["audit.json"])

    assert [(event["action"], event["by"], event["address"]) for event in events] == [
        ("problem.published", "you", "192.0.2.7"),
        ("token.revoked", "you", "192.0.2.7"),
        ("user.role_changed", "an admin", None),
    ]


def test_similar_programs_are_in_it_without_the_other_user(database: Database) -> None:
    with database.transaction() as session:
        homework = make_homework(session)
        ada, grace = (join(session, homework, name) for name in ("ada", "grace"))
        sent = [hand_in(session, homework, user, f"x = '{user.username}'") for user in (ada, grace)]
        finish(session, begin(session, homework), (sent[0], sent[1], 95.0))

    files = read(database, ada)
    (own,), (other,) = (json.loads(read(database, user)["similar.json"]) for user in (ada, grace))
    with database.transaction() as session:
        session.get_one(Assignment, homework.assignment.id).shows = "nothing"

    assert own.keys() == {"problem", "compared_at", "similarity", "dismissed_at", "submission", "lines"}
    assert (own["submission"], own["similarity"], own["lines"]) == (str(sent[0]), 95.0, [[2, 3], [5, 5]])
    assert (other["submission"], other["lines"]) == (str(sent[1]), [[1, 2], [4, 4]])
    assert not any("grace" in text or str(sent[1]) in text for text in files.values())
    assert json.loads(read(database, ada)["similar.json"]) == []


def test_a_decision_on_a_grade_is_in_it_once_the_points_are_released(database: Database) -> None:
    with database.transaction() as session:
        taught, ada = teach(session), make_user(session, "ada")
        homework = make_assignment(session, taught.course, make_problem(session))
        member = make_member(session, taught.course, ada)
        new = NewAdjustment(kind="zero", reason="copied")
        adjust(session, taught.actor, taught.seat, homework, member.id, new)

    hidden = "".join(read(database, ada).values())
    with database.transaction() as session:
        session.get_one(Assignment, homework.id).released_at = func.now()
    shown = json.loads(read(database, ada)["courses.json"])["decisions"]

    assert "adjustment" not in hidden
    assert "copied" not in hidden
    assert [row["reason"] for row in shown] == ["copied"]


def test_nothing_of_others_and_no_secret_is_in_it(database: Database, ada: User) -> None:
    text = "\n".join(read(database, ada).values())

    with database.transaction() as session:
        hashes = [token.hex() for token in session.scalars(select(ApiToken.token_hash))]
    assert "grace" not in text
    assert "198.51.100.1" not in text
    assert "argon2" not in text
    assert not [value for value in hashes if value in text]


def test_that_it_was_made_is_written_down(database: Database, ada: User) -> None:
    read(database, ada)

    with database.transaction() as session:
        last = session.scalars(select(AuditEvent).order_by(AuditEvent.id.desc()).limit(1)).one()
    assert (last.action, last.target) == ("user.exported", str(ada.id))


def test_it_is_read_in_pieces_that_are_the_whole(database: Database, ada: User) -> None:
    file = export_user(database, COMMAND, ada.id)
    whole = file.read()
    file.seek(0)

    assert b"".join(read_chunks(file)) == whole
    assert file.closed


def test_it_is_of_one_moment(database: Database, ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def send_meanwhile(session: Session, user_id: UUID) -> Any:
        with database.transaction() as other:
            make_judging(other, make_submission(other, other.get_one(User, user_id), make_problem(other)).id)
        return list_audit(session, user_id)

    monkeypatch.setattr(personal_data, "SECTIONS", {"audit.json": send_meanwhile})

    assert len([name for name in read(database, ada) if name.endswith(".py")]) == 1
    with database.transaction() as session:
        assert session.scalar(select(func.count()).where(Submission.user_id == ada.id)) == 2


def test_one_that_takes_too_long_is_refused_and_not_written_down(
    database: Database, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "MOST_SECONDS", -1)

    with pytest.raises(LimitReached, match="Reading the data takes longer"):
        export_user(database, COMMAND, ada.id)

    with database.transaction() as session:
        assert session.scalar(select(AuditEvent.id).where(AuditEvent.action == "user.exported")) is None


def test_exporting_an_unknown_user_raises_not_found(database: Database) -> None:
    with pytest.raises(NotFound):
        export_user(database, COMMAND, uuid4())
