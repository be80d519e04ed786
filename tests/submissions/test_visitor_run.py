"""Visitors' runs: what is refused, who goes first, and what is left of them."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import func, select, update

from app.accounts.permission import signed_in
from app.admin.judge_error import ErrorFilters, list_causes, list_judge_errors
from app.admin.overview import read_overview
from app.admin.queue import count_queues
from app.admin.submission import each_submission
from app.catalog.model import Problem, SolveCount
from app.database.engine import Database
from app.errors import Invalid, LimitReached, NotFound
from app.limits import MAX_UNFINISHED_VISITOR_RUNS, RUNS_PER_MINUTE, Limits
from app.queue.lease import Wanted, claim, fail
from app.queue.model import MAX_ATTEMPTS, Job
from app.rejudging.choice import Choice, count_unfinished, select_chosen
from app.settings import ROOT
from app.submissions.judging_record import JudgingClaim
from app.submissions.model import CaseRow, Judging, Submission
from app.submissions.query import HistoryFilters, get_submission, list_submissions
from app.submissions.queue_wait import SHORT, read_backlogs
from app.submissions.quota import SubmitLimits
from app.submissions.solved import recount
from app.submissions.submit import Submit, submit
from app.submissions.usage import read_front
from app.submissions.visitor_run import (
    KEPT,
    LONGEST,
    VisitorRun,
    VisitorRuns,
    delete_old_runs,
)
from tests.factories import finish_judgings, make_judging, make_problem, make_submission, make_user, make_worker
from tests.transaction import commit, execute, fetch_all, fetch_one

SOURCE = "def sums(): ..."


@pytest.fixture(autouse=True)
def problem(database: Database) -> None:
    commit(database, make_problem, "sums")


def start(database: Database, runs: VisitorRuns, network: str = "192.0.2.1", **others: Any) -> UUID:
    long_queues = others.pop("long_queues", ())
    run = VisitorRun(**{"network": network, "slug": "sums", "source": SOURCE, "key": network, **others})
    return runs.start(database, run, long_queues)


def submit_as_student(database: Database) -> UUID:
    with database.transaction() as session:
        request = Submit(user_id=make_user(session).id, slug="sums", source=SOURCE, mode="submit")
        return submit(session, request, SubmitLimits(max_pending=9)).id


def claim_all(database: Database, slots: int, worker: str = "worker") -> list[UUID]:
    wanted = Wanted(queues=["cpu"], slots=slots, worker=worker, lease=timedelta(seconds=15))
    return [taken.submission_id for taken in commit(database, claim, wanted, JudgingClaim)]


def end_all(database: Database, verdict: str = "accepted", ago: timedelta = timedelta()) -> None:
    """All judgings end with this verdict, so long ago."""
    with database.transaction() as session:
        finish_judgings(session, verdict, started_at=func.now())
        session.execute(update(Judging).values(finished_at=func.now() - ago))


def count(database: Database, *models: type[Any]) -> list[int]:
    return [fetch_one(database, select(func.count()).select_from(model)) for model in models]


def test_a_network_has_one_unfinished_run(database: Database) -> None:
    runs = VisitorRuns(Limits())
    start(database, runs)

    with pytest.raises(LimitReached, match="A run from your network is still being judged"):
        start(database, runs, key="another")

    start(database, runs, "192.0.2.2")
    end_all(database)
    start(database, runs, key="another")


def test_a_double_click_is_one_run(database: Database) -> None:
    runs = VisitorRuns(Limits())

    assert start(database, runs) == start(database, runs)


def test_a_network_has_so_many_runs_in_a_minute(database: Database) -> None:
    runs = VisitorRuns(Limits())
    for _ in range(RUNS_PER_MINUTE):
        start(database, runs)
        end_all(database)

    with pytest.raises(LimitReached, match="runs from your network without an account in 1 minute"):
        start(database, runs)


def test_many_networks_together_have_a_limit_in_all_processes(database: Database) -> None:
    for number in range(MAX_UNFINISHED_VISITOR_RUNS):
        start(database, VisitorRuns(Limits()), f"192.0.2.{number}")

    with pytest.raises(LimitReached, match="Try again in a few minutes, or sign in"):
        start(database, VisitorRuns(Limits()), "198.51.100.1")


def test_a_long_queue_refuses_visitors_while_it_takes_students(database: Database) -> None:
    with pytest.raises(LimitReached, match="Too many submissions are waiting"):
        start(database, VisitorRuns(Limits()), long_queues=["cpu"])

    submit_as_student(database)


@pytest.mark.parametrize("availability", ["draft", "unlisted", "withdrawn"])
def test_only_listed_problems_run_without_an_account(database: Database, availability: str) -> None:
    execute(database, update(Problem).values(availability=availability))

    with pytest.raises(NotFound):
        start(database, VisitorRuns(Limits()))


def test_a_problem_on_a_gpu_needs_an_account(database: Database) -> None:
    commit(database, make_problem, "fast", limits={"gpu": True})

    with pytest.raises(Invalid, match="needs a GPU; sign in"):
        start(database, VisitorRuns(Limits()), slug="fast")


def test_every_students_submission_goes_before_all_visitors_runs(database: Database) -> None:
    runs = [start(database, VisitorRuns(Limits()), f"192.0.2.{number}") for number in range(3)]
    students = [submit_as_student(database) for _ in range(3)]

    taken = [claim_all(database, 1, f"worker {number}") for number in range(6)]

    assert taken == [[each] for each in (*students, *runs)]


def test_a_worker_judges_one_visitors_run_at_a_time(database: Database) -> None:
    first, second = (start(database, VisitorRuns(Limits()), network) for network in ("192.0.2.1", "192.0.2.2"))

    assert claim_all(database, 4) == [first]
    assert claim_all(database, 3) == []
    student = submit_as_student(database)
    assert claim_all(database, 3) == [student]
    assert claim_all(database, 3, "another worker") == [second]


def test_visitors_runs_change_no_students_priority_and_no_estimate(database: Database) -> None:
    with database.transaction() as session:
        make_worker(session, "cpu")
        make_judging(session, verdict="accepted", started_at=func.now(), finished_at=func.now())
    for number in range(MAX_UNFINISHED_VISITOR_RUNS):
        start(database, VisitorRuns(Limits()), f"192.0.2.{number}")
    for _ in range(SHORT):
        submit_as_student(database)

    with database.transaction() as session:
        assert read_front(session, "cpu") == 0
        assert read_backlogs(session) == {}


def test_no_viewer_reads_a_visitors_run_and_a_visitor_no_other_submission(database: Database) -> None:
    run = start(database, VisitorRuns(Limits()))
    with database.transaction() as session:
        own = make_submission(session).id
        admin = signed_in(make_user(session, role="admin"))

        assert get_submission(session, run, None).id == run
        for submission_id, viewer in ((run, admin), (own, None)):
            with pytest.raises(NotFound):
                get_submission(session, submission_id, viewer)


def test_no_list_count_or_export_has_a_visitors_run(database: Database) -> None:
    start(database, VisitorRuns(Limits()))
    choice = Choice(problem="sums", samples=True)
    with database.transaction() as session:
        (queue,) = (each for each in count_queues(session) if each.depth)
        assert queue.kind == "visitor"
        assert count_unfinished(session, choice) == 0
    end_all(database)

    with database.transaction() as session:
        recount(session)
        assert session.scalars(select(SolveCount.submissions)).all() == [0]
        assert list_submissions(session, None).items == ()
        assert list(each_submission(session, HistoryFilters(), with_source=True)) == []
        assert session.execute(select_chosen(session, choice, "own")).all() == []
        assert read_overview(session, ROOT).submissions == 0


def test_a_visitors_run_that_fails_is_no_judge_error_for_admins(database: Database) -> None:
    start(database, VisitorRuns(Limits()))
    with database.transaction() as session:
        session.execute(update(Job).values(attempt=MAX_ATTEMPTS - 1))
        wanted = Wanted(queues=["cpu"], slots=1, worker="w", lease=timedelta(seconds=15))
        (taken,) = claim(session, wanted, JudgingClaim)
    fail(database, taken, "BoxLost: it is gone")

    with database.transaction() as session:
        assert session.scalars(select(Judging.verdict)).one() == "judge_error"
        assert list_judge_errors(session, ErrorFilters()).items == []
        assert list_causes(session) == []
        assert read_overview(session, ROOT).judge_errors == 0


def test_nothing_of_a_run_is_left_soon_after_its_verdict(database: Database) -> None:
    start(database, VisitorRuns(Limits()))
    with database.transaction() as session:
        judging = session.scalars(select(Judging)).one()
        result = {"name": "a", "visibility": "sample", "verdict": "accepted", "report": {}}
        session.add(CaseRow(judging_id=judging.id, attempt=1, position=0, sequence=0, **result))
    end_all(database)
    delete_old_runs(database)
    assert count(database, Submission, Judging, CaseRow) == [1, 1, 1]
    end_all(database, ago=KEPT)
    student = submit_as_student(database)

    delete_old_runs(database)

    assert count(database, Submission, Judging, CaseRow) == [1, 1, 0]
    assert fetch_all(database, select(Submission.id)) == [student]


@pytest.mark.parametrize("is_held", [True, False])
def test_a_run_that_no_worker_ends_is_cancelled_and_deleted(database: Database, is_held: bool) -> None:
    start(database, VisitorRuns(Limits()))
    if is_held:
        claim_all(database, 1)
    execute(database, update(Submission).values(created_at=func.now() - LONGEST))

    delete_old_runs(database)

    assert fetch_one(database, select(Judging.verdict)) == "cancelled"
    end_all(database, "cancelled", ago=KEPT)
    delete_old_runs(database)
    assert count(database, Submission) == [0]
