"""Reports by users, and decisions by moderators."""

from uuid import UUID, uuid4

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.model import Role, User
from app.accounts.permission import Viewer, signed_in
from app.audit import Actor, AuditEvent
from app.catalog.model import Problem, Revision
from app.database.cursor import Slice
from app.database.engine import Database
from app.errors import Conflict, Invalid, LimitReached, NotFound
from app.learning import moderation
from app.learning.discussion import Post, PostText, answer, ask, delete_post, edit
from app.learning.moderation import (
    EXCERPT,
    MAX_REASON,
    PostDecision,
    ReportClosed,
    ReportView,
    count_reports,
    decide_on_post,
    decide_on_shared,
    list_reports,
    report_post,
    report_shared,
)
from app.learning.shared_solution import SharedSolution, share, withdraw
from app.learning.solution import SolutionLocked
from app.submissions.model import Submission
from tests.factories import make_course, make_user
from tests.hostile_text import UNSTORABLE
from tests.learning.lessons import make_accepted
from tests.learning.test_shared_solution import make_shared, sign_in

pytestmark = pytest.mark.usefixtures("revision")
SLUG = "scaled_sum"
ACTOR = Actor(user_id=None, channel="page", address="192.0.2.1")


def make_thread(session: Session) -> tuple[Viewer, Viewer, UUID, UUID]:
    """A question of one user and the answer of another."""
    ada, grace = sign_in(session, "ada"), sign_in(session, "grace")
    asked = ask(session, ada, SLUG, PostText(title="A title", body="A question."))
    return ada, grace, asked, answer(session, grace, asked, PostText(body="Rude words."))


def list_open(session: Session, role: Role = "author") -> tuple[ReportView, ...]:
    """The reports that a moderator sees."""
    return list_reports(session, make_user(session, role=role).id, Slice()).items


def count_open(session: Session) -> int:
    return count_reports(session, make_user(session, role="author").id)


def acts(session: Session) -> list[str]:
    return list(session.scalars(select(AuditEvent.action).order_by(AuditEvent.id)))


def test_a_report_is_listed_with_its_entry_until_a_moderator_decides(session: Session) -> None:
    ada, grace, asked, answered = make_thread(session)
    report_post(session, ada, answered, "  it is\n rude ")
    report_post(session, ada, answered, "again")
    report_post(session, grace, asked, "unclear")

    reports = {report.post_id: report for report in list_open(session)}
    assert count_open(session) == 2
    found = reports[answered]
    assert (found.reporter, found.author, found.reason, found.excerpt) == (
        "ada",
        "grace",
        "it is rude",
        "Rude words.",
    )
    assert (found.problem, found.question_id, found.submission_id) == (SLUG, asked, None)

    decide_on_post(session, ACTOR, answered, "hide")
    decide_on_post(session, ACTOR, asked, "dismiss")
    decide_on_post(session, ACTOR, asked, "dismiss")

    assert list_open(session) == ()
    assert session.get_one(Post, answered).hidden_at is not None
    assert session.get_one(Post, asked).hidden_at is None
    assert acts(session) == ["post.hidden", "post.reports_dismissed"]


def test_every_decision_can_be_taken_back_and_is_in_the_audit_log_once(session: Session) -> None:
    ada, _grace, asked, _answered = make_thread(session)
    decisions: tuple[PostDecision, ...] = ("hide", "show", "lock", "unlock", "mark_spoiler", "unmark_spoiler")
    for decision in decisions:
        decide_on_post(session, ACTOR, asked, decision)
        decide_on_post(session, ACTOR, asked, decision)

    post = session.get_one(Post, asked)
    event = session.scalars(select(AuditEvent).limit(1)).one()
    assert (post.hidden_at, post.locked_at, post.is_spoiler) == (None, None, False)
    assert acts(session) == [
        *("post.hidden", "post.shown", "post.locked", "post.unlocked"),
        *("post.spoiler_marked", "post.spoiler_unmarked"),
    ]
    assert (event.target_kind, event.target, event.subject_id) == ("post", str(asked), ada.id)
    assert (event.before, event.after) == (None, None)


def test_a_shared_solution_is_reported_and_hidden_too(session: Session, revision: Revision) -> None:
    ada = sign_in(session, "ada")
    shared = make_shared(session, revision, "grace", source="# rude words\n" * 50)
    with pytest.raises(SolutionLocked):
        report_shared(session, ada, shared, "rude")
    make_accepted(session, ada.user, revision)
    report_shared(session, ada, shared, "rude")

    (report,) = list_open(session)
    decide_on_shared(session, ACTOR, shared, "hide")
    hidden_at = session.get_one(SharedSolution, shared).hidden_at
    decide_on_shared(session, ACTOR, shared, "show")
    decide_on_shared(session, ACTOR, shared, "dismiss")

    assert (report.author, report.submission_id, report.post_id) == ("grace", shared, None)
    assert report.excerpt == session.get_one(Submission, shared).source[:EXCERPT]
    assert hidden_at is not None
    assert session.get_one(SharedSolution, shared).hidden_at is None
    assert acts(session) == ["shared_solution.hidden", "shared_solution.shown"]


def test_reports_of_a_solution_outlive_its_withdrawal(session: Session, revision: Revision) -> None:
    ada = sign_in(session, "ada")
    shared = make_shared(session, revision, "grace")
    make_accepted(session, ada.user, revision)
    report_shared(session, ada, shared, "copied")
    grace = signed_in(session.get_one(User, session.get_one(Submission, shared).user_id))

    withdraw(session, grace, shared)
    assert (count_open(session), list_open(session)) == (0, ())
    with pytest.raises(NotFound):
        decide_on_shared(session, ACTOR, shared, "hide")
    share(session, grace, shared)

    assert count_open(session) == 1
    assert [report.reason for report in list_open(session)] == ["copied"]


def test_reports_about_a_courses_problem_are_for_its_authors(session: Session) -> None:
    _, emmy, question, _ = make_thread(session)
    report_post(session, emmy, question, "rude")
    problem = session.scalars(select(Problem)).one()
    problem.course_id, problem.availability = make_course(session).id, "course"
    session.flush()

    assert (list_open(session), count_open(session)) == ((), 0)
    assert [report.reason for report in list_open(session, "admin")] == ["rude"]


def test_reports_have_limits(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moderation, "MAX_REPORTS_PER_HOUR", 1)
    ada, grace, asked, answered = make_thread(session)
    for reason, words in (
        (" ", "reason is empty"),
        ("r" * (MAX_REASON + 1), f"limit is {MAX_REASON}"),
        *((text, "can't be stored") for text in UNSTORABLE.values()),
    ):
        with pytest.raises(Invalid, match=words):
            report_post(session, grace, asked, reason)
    with pytest.raises(Conflict, match="is yours"):
        report_post(session, ada, asked, "mine")
    with pytest.raises(NotFound):
        report_post(session, ada, uuid4(), "nothing")
    report_post(session, ada, answered, "rude")
    other = answer(session, grace, asked, PostText(body="Another."))
    with pytest.raises(LimitReached, match="1 entries in the last hour"):
        report_post(session, ada, other, "rude")


def test_a_deleted_post_leaves_nothing_to_decide(session: Session) -> None:
    ada, grace, asked, answered = make_thread(session)
    report_post(session, grace, asked, "unclear")
    report_post(session, ada, answered, "rude")
    delete_post(session, ada, asked)
    delete_post(session, grace, answered)

    assert (list_open(session), count_open(session)) == ((), 0)
    with pytest.raises(NotFound):
        decide_on_post(session, ACTOR, answered, "hide")
    with pytest.raises(NotFound):
        decide_on_shared(session, ACTOR, uuid4(), "hide")


def test_an_answer_can_not_be_locked(session: Session) -> None:
    *_, answered = make_thread(session)

    with pytest.raises(Conflict, match="only a question"):
        decide_on_post(session, ACTOR, answered, "lock")


def test_an_entry_is_reported_again_by_others_and_by_the_same_user_once_it_is_edited(database: Database) -> None:
    with database.transaction() as session:
        ada, grace, _asked, answered = make_thread(session)
        emmy = sign_in(session, "emmy")
        report_post(session, ada, answered, "rude")
        decide_on_post(session, ACTOR, answered, "dismiss")

        with pytest.raises(ReportClosed, match="already looked at your report"):
            report_post(session, ada, answered, "still rude")
        assert list_open(session) == ()
        report_post(session, emmy, answered, "rude indeed")
        assert [report.reporter for report in list_open(session)] == ["emmy"]

    with database.transaction() as session:
        edit(session, grace, answered, PostText(body="Ruder words."))
    with database.transaction() as session:
        report_post(session, ada, answered, "ruder")

        assert {report.reason for report in list_open(session)} == {"rude indeed", "ruder"}


def test_the_reporter_of_a_shared_solution_is_told_that_it_was_looked_at(session: Session, revision: Revision) -> None:
    ada, emmy = sign_in(session, "ada"), sign_in(session, "emmy")
    shared = make_shared(session, revision, "grace")
    for viewer in (ada, emmy):
        make_accepted(session, viewer.user, revision)
    report_shared(session, ada, shared, "copied")
    decide_on_shared(session, ACTOR, shared, "dismiss")

    with pytest.raises(ReportClosed):
        report_shared(session, ada, shared, "copied")
    report_shared(session, emmy, shared, "copied")

    assert [report.reporter for report in list_open(session)] == ["emmy"]
