"""`allclose admin rejudge`: the warning before it starts, and a rejudging that can no longer be applied."""

import json

import pytest

from app.admin.erasure import erase
from app.audit import COMMAND
from app.catalog.model import Problem
from app.database.engine import Database
from app.judging.verdicts import Verdict
from app.rejudging.decision import apply
from tests.cli.test_commands import allclose
from tests.factories import make_problem, make_user
from tests.rejudging.rows import add_revision, begin, judge_again, make_actor, make_failed, make_judged


def rejudge(database: Database, *arguments: str) -> tuple[str, str]:
    """Run the command, and return its standard output and its standard error."""
    done = allclose("admin", "rejudge", *arguments, ALLCLOSE_DATABASE_URL=database.url)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.mark.whole
def test_going_back_to_an_older_revision_is_said(database: Database) -> None:
    with database.transaction() as session:
        first = make_problem(session, "sums")
        make_judged(session, first)
        make_judged(session, add_revision(session, first))
        session.get_one(Problem, first.problem_id).current_revision_id = first.id
    wanted = ("begin", "--problem", "sums", "--yes", "--json")

    begun, warning = rejudge(database, *wanted, "--onto", "current")
    _, none = rejudge(database, *wanted)

    assert json.loads(begun)["total"] == 2
    assert "1 of them would be judged by an older revision than the one that judged them" in warning
    assert "older" not in none


@pytest.mark.whole
def test_one_that_another_has_overtaken_and_whom_it_lost_is_said(database: Database) -> None:
    with database.transaction() as session:
        revision, gone = make_problem(session, "sums"), make_user(session)
        make_judged(session, revision)
        make_judged(session, revision, user=gone)
        actor = make_actor(session)
        older, newer = begin(session, actor, problem="sums"), begin(session, actor, problem="sums")
        erase(session, COMMAND, gone.id)
    judge_again(database)
    with database.transaction() as session:
        apply(session, newer.id, actor)

    shown, _ = rejudge(database, "show", str(older.id))

    assert "overtaken" in shown
    assert "1 of these submissions no longer exist" in shown
    assert "A later rejudging of 1 of these submissions was applied. Use `cancel`; `apply` refuses." in shown


@pytest.mark.whole
def test_each_step_names_the_next_and_says_what_changes(database: Database) -> None:
    with database.transaction() as session:
        revision = make_problem(session, "sums")
        make_judged(session, revision, Verdict.WRONG_ANSWER)
        make_judged(session, revision, Verdict.ACCEPTED, score=100)
        make_failed(session, revision, "no box")
        rejudging = begin(session, COMMAND, problem="sums")
    number = str(rejudging.id)
    begun, _ = rejudge(database, "show", number)
    waiting, _ = rejudge(database, "changes", number)
    judge_again(database)

    ready, _ = rejudge(database, "show", number)
    changes, _ = rejudge(database, "changes", number)
    applied, _ = rejudge(database, "apply", number, "--yes")

    assert f"`allclose admin rejudge show {number} --watch` waits" in begun
    assert "new verdict" not in begun
    assert waiting == "No result changes.\n"
    assert "a command" in ready
    assert f"`allclose admin rejudge changes {number}` lists the changes" in ready
    assert "change" in changes.splitlines()[0].split()
    assert "case_1: wrong_answer → accepted" in changes
    assert "case_0, case_1: – → accepted" in changes
    assert applied == "Applied. Changed results: 2 of 3\n"
