"""What an accepted result leads to."""

from http import HTTPStatus
from uuid import UUID

import numpy as np
import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import expect
from sqlalchemy import event, select, update
from sqlalchemy.orm import ORMExecuteState, Session

from app.accounts.model import User
from app.catalog.model import Problem, Revision
from app.catalog.publish import publish
from app.database.engine import Database
from app.submissions.leaderboard import LEAST_OTHERS
from app.submissions.model import Judging, Submission
from tests.catalog.packages import make_listed
from tests.factories import make_judging, make_measurement, make_reference_measurement, make_submission, make_user
from tests.transaction import commit, execute
from tests.web.browser import PATIENCE_MS, Visitor
from tests.web.judged import all_right, answered, judge
from tests.web.submit_form import PAGE, solve, submit

expect.set_options(timeout=PATIENCE_MS)


def measure(database: Database, path: str) -> Judging:
    """The submission takes 1.5 times as long as the reference. Returns its judging."""
    with database.transaction() as session:
        submission = session.get_one(Submission, UUID(path.rpartition("/")[2]))
        make_reference_measurement(session, submission.revision_id, 1.0, submission.variant)
        judging = session.scalars(select(Judging).where(Judging.submission_id == submission.id)).one()
        make_measurement(session, judging, 1.5)
        return judging


def add_solvers(database: Database, judging: Judging, seconds: list[float]) -> None:
    for number, each in enumerate(seconds):
        with database.transaction() as session:
            revision = session.get_one(Revision, judging.revision_id)
            submission = make_submission(session, make_user(session, f"solver_{number}"), revision)
            submission.variant = session.get_one(Submission, judging.submission_id).variant
            made = make_judging(session, submission.id, verdict="accepted", score=100)
            make_measurement(session, made, each)


def test_an_accepted_submission_leads_to_the_walkthrough_the_quiz_and_the_next_problem(
    ada: TestClient, database: Database
) -> None:
    commit(database, publish, make_listed("second", "track: basics\nposition: 2\n"))

    result = ada.get(solve(ada, database) + "/result").text

    assert f'href="{PAGE}#solution"' in result
    assert f'href="{PAGE}/quiz"' in result
    assert 'href="/problems/second">Next: second</a>' in result
    assert "data-unmeasured" in result
    assert "Your time" not in result


def test_the_end_of_a_quiz_leads_on(ada: TestClient, database: Database) -> None:
    commit(database, publish, make_listed("second", "track: basics\nposition: 2\n"))
    answer = {"question": 0, "choice": 0}
    ada.post(f"{PAGE}/quiz", data=answer)
    unsolved = ada.get(f"{PAGE}/quiz").text

    solve(ada, database)
    solved = ada.get(f"{PAGE}/quiz").text
    ada.post(f"{PAGE}/quiz/again")
    again = ada.get(f"{PAGE}/quiz/questions").text

    onward = 'href="/problems/second">Next: second</a>'
    assert [onward in page for page in (unsolved, solved, again)] == [False, True, False]
    assert "Back to the problem" in unsolved


def test_the_last_problem_of_a_track_leads_to_the_list(ada: TestClient, database: Database) -> None:
    result = ada.get(solve(ada, database) + "/result").text

    assert "You have solved all problems of the track Basics." in result
    assert 'href="/problems">All problems</a>' in result


def test_a_run_of_samples_has_no_next_steps(ada: TestClient, database: Database) -> None:
    waiting = submit(ada, mode="sample")
    before = ada.get(waiting + "/result").text
    judge(database, *all_right()[:1])

    assert "next-steps" not in before
    assert "next-steps" not in ada.get(waiting + "/result").text


def test_an_accepted_submission_stays_readable_when_its_problem_becomes_a_draft(
    ada: TestClient, database: Database
) -> None:
    path = solve(ada, database)
    execute(database, update(Problem).values(availability="draft"))

    for address in (path, f"{path}/result", f"{path}/events", f"{path}/diff"):
        answer = ada.get(address)
        assert answer.status_code == HTTPStatus.OK, address
        assert "next-steps" not in answer.text
    assert ada.post(f"{path}/sharing", data={"is_shared": "true"}).status_code == HTTPStatus.SEE_OTHER


def test_an_unlisted_problem_leads_to_its_quiz_and_to_no_track(ada: TestClient, database: Database) -> None:
    path = solve(ada, database)
    execute(database, update(Problem).values(availability="unlisted"))

    result = ada.get(path + "/result").text

    assert f'href="{PAGE}/quiz"' in result
    assert "You have solved all problems of the track" not in result


@pytest.mark.parametrize("others", [(), ("second",)], ids=["the only problem of its track", "one of two"])
def test_a_problem_that_is_unlisted_while_its_page_is_read_leads_to_no_track(
    ada: TestClient, database: Database, others: tuple[str, ...]
) -> None:
    path = solve(ada, database)
    with database.transaction() as session:
        for slug in others:
            publish(session, make_listed(slug, "track: basics\nposition: 2\n"))
    changes: list[str] = []

    def unlist(read: ORMExecuteState) -> None:
        if "JOIN tracks" in str(read.statement) and not changes:
            changes.append("unlisted")
            execute(database, update(Problem).where(Problem.slug == "scaled_sum").values(availability="unlisted"))

    event.listen(Session, "do_orm_execute", unlist)
    try:
        answer = ada.get(path + "/result")
    finally:
        event.remove(Session, "do_orm_execute", unlist)

    assert changes == ["unlisted"]
    assert answer.status_code == HTTPStatus.OK
    assert "next-steps" in answer.text
    assert "/problems/second" not in answer.text


def test_the_time_is_compared_with_at_least_five_other_users(ada: TestClient, database: Database) -> None:
    path = solve(ada, database)
    judging = measure(database, path)
    alone = ada.get(path + "/result").text
    add_solvers(database, judging, [0.5, 1.0, 2.0, 3.0, 4.0])
    beside = ada.get(path + "/result").text
    with database.transaction() as session:
        session.scalars(select(User).where(User.username == "solver_4")).one().is_active = False

    assert LEAST_OTHERS == 5
    assert "Your time: 1.5 × the reference solution's." in alone.replace("&#39;", "'")
    assert "other user" not in alone
    assert "3 of 5 other users are slower." in beside
    assert "other user" not in ada.get(path + "/result").text


@pytest.mark.whole
@pytest.mark.browser
def test_the_time_appears_once_it_is_measured_and_the_walkthrough_opens_in_its_tab(
    student: Visitor, database: Database
) -> None:
    student.open(PAGE)
    student.page.get_by_role("button", name="Submit").click()
    expect(student.page.locator(".banner .title")).to_contain_text("In the queue")
    judge(database, *all_right())
    expect(student.page.locator(".next-steps")).to_be_visible()
    path = student.page.locator("a[data-page]").get_attribute("href")
    measure(database, str(path))

    expect(student.page.locator(".next-steps")).to_contain_text("Your time: 1.5 ×")
    student.page.get_by_role("link", name="Read the walkthrough").click()

    expect(student.page.locator("#solution")).to_contain_text("Add, then multiply.")
    expect(student.page.locator("#result")).to_be_visible()


@pytest.mark.whole
@pytest.mark.browser
def test_a_wrong_answer_leads_to_the_questions_while_an_accepted_one_does_not(
    student: Visitor, database: Database
) -> None:
    ask = student.page.get_by_role("link", name="Ask a question")
    student.open(PAGE)
    student.page.get_by_role("button", name="Submit").click()
    expect(student.page.locator(".banner .title")).to_contain_text("In the queue")
    expect(ask).to_be_hidden()
    judge(database, answered(0, np.array(1, np.float32)), *all_right()[1:])

    expect(ask).to_have_attribute("href", f"{PAGE}/questions#ask")
    expect(ask).to_be_visible()
    student.page.get_by_role("button", name="Submit").click()
    expect(student.page.locator(".banner .title")).to_contain_text("In the queue")
    judge(database, *all_right())
    expect(student.page.locator(".banner .title")).to_contain_text("Accepted")
    expect(ask).to_be_hidden()
