"""Judging again: what is chosen, what comes out, and what counts afterwards."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.admin.erasure import erase
from app.audit import AuditEvent
from app.catalog.model import Problem
from app.database.engine import Database
from app.errors import Conflict, Invalid, NotFound
from app.judging.verdicts import Verdict
from app.queue.lease import beat, fail
from app.queue.model import MAX_ATTEMPTS, Job
from app.rejudging import choice, create
from app.rejudging.change import CaseChange, list_changes, list_replaced
from app.rejudging.choice import Choice, preview
from app.rejudging.create import get_rejudging
from app.rejudging.decision import apply, cancel
from app.rejudging.view import list_rejudgings, view_rejudging
from app.submissions.cause import NOT_SAID
from app.submissions.model import Judging, Submission
from app.submissions.solved import first_solved
from tests.factories import make_judging, make_problem, make_submission, make_user, make_worker
from tests.rejudging.rows import (
    LEASE,
    add_revision,
    begin,
    counting,
    judge_again,
    make_actor,
    make_failed,
    make_judged,
    take_all,
)

ACCEPTED, WRONG = Verdict.ACCEPTED, Verdict.WRONG_ANSWER


def test_every_criterion_that_is_given_must_hold(session: Session) -> None:
    sums, means = make_problem(session, "sums"), make_problem(session, "means")
    ada = make_user(session, "ada")
    wanted = make_judged(session, sums, user=ada)
    make_judged(session, means, user=ada)
    make_judged(session, sums)
    make_judged(session, sums, ACCEPTED, user=ada)

    found = preview(session, Choice(problem="sums", user="ada", verdict=WRONG), "own")

    assert [each.submission for each in found.items] == [wanted.id]
    assert (found.total, found.unfinished) == (1, 0)


def test_times_revisions_and_ids_choose_too(session: Session) -> None:
    now = datetime.now(UTC)
    first = make_problem(session, "sums")
    early, late = make_judged(session, first), make_judged(session, add_revision(session, first))
    session.execute(update(Submission).where(Submission.id == early.id).values(created_at=now - timedelta(days=2)))

    def chosen(**criteria: Any) -> list[object]:
        return [each.submission for each in preview(session, Choice(**criteria), "own").items]

    assert chosen(until=now - timedelta(days=1)) == [early.id]
    assert chosen(since=now - timedelta(days=1)) == [late.id]
    assert chosen(problem="sums", revision=1) == [early.id]
    assert chosen(outdated=True) == [early.id]
    assert chosen(ids=(late.id, uuid4())) == [late.id]


def test_judge_errors_are_chosen_by_their_cause(session: Session) -> None:
    revision = make_problem(session, "sums")
    lost, other, silent = (make_failed(session, revision, why) for why in ("BoxLost: box 7 died", "OSError: x", None))
    make_judged(session, revision)

    def chosen(cause: str) -> list[object]:
        return [each.submission for each in preview(session, Choice(cause=cause), "own").items]

    assert chosen("BoxLost: box # died") == [lost.id]
    assert chosen("OSError: x") == [other.id]
    assert chosen(NOT_SAID) == [silent.id]
    assert chosen("BoxLost: box 7 died\0") == []


def test_of_too_many_no_more_are_counted_than_it_takes_to_refuse_them(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choice, "MOST", 1)
    revision = make_problem(session, "sums")
    for _ in range(3):
        make_judged(session, revision)

    assert preview(session, Choice(problem="sums"), "own").total == 2


def test_unfinished_and_cancelled_submissions_and_samples_are_left_out(session: Session) -> None:
    revision = make_problem(session, "sums")
    make_judging(session, make_submission(session, revision=revision).id)
    make_judged(session, revision, Verdict.CANCELLED)
    sample = make_submission(session, revision=revision, mode="sample")
    make_judging(session, sample.id, verdict="accepted")

    usual = preview(session, Choice(problem="sums"), "own")
    with_samples = preview(session, Choice(problem="sums", samples=True), "own")

    assert (usual.total, usual.unfinished) == (0, 1)
    assert [each.submission for each in with_samples.items] == [sample.id]


NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "criteria",
    [{}, {"samples": True}, {"revision": 1}, {"since": NEW_YEAR, "until": NEW_YEAR}],
)
def test_a_choice_that_would_be_of_all_or_of_nothing_certain_is_refused(
    database: Database, criteria: dict[str, Any]
) -> None:
    with database.transaction() as session, pytest.raises(Invalid):
        preview(session, Choice(**criteria), "own")


def test_a_problem_a_user_or_a_revision_that_is_not_there_is_not_found(session: Session) -> None:
    make_judged(session, make_problem(session, "sums"))
    with pytest.raises(NotFound, match="no revision 99 of 'sums'"):
        preview(session, Choice(problem="sums", revision=99), "own")
    with pytest.raises(NotFound):
        preview(session, Choice(problem="no\0thing"), "own")
    with pytest.raises(NotFound):
        preview(session, Choice(user="nobody"), "own")


def test_no_more_are_judged_again_at_once_than_are_allowed_and_not_none(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(create, "MOST", 1)
    revision = make_problem(session, "sums")
    actor = make_actor(session)
    with pytest.raises(Invalid, match="No judged submission"):
        begin(session, actor, problem="sums")
    for _ in range(2):
        make_judged(session, revision)

    with pytest.raises(Invalid, match="More than 1 "):
        begin(session, actor, problem="sums")


def test_a_rejudged_submission_waits_behind_all_others_and_does_not_count(session: Session) -> None:
    revision = make_problem(session, "sums")
    submission = make_judged(session, revision)
    rejudging = begin(session, make_actor(session), problem="sums")
    make_judging(session, make_submission(session, revision=revision).id, priority=-900_000)
    new = session.scalars(select(Judging).where(Judging.rejudging_id == rejudging.id)).one()

    assert rejudging.total == 1
    assert not new.is_current
    assert counting(session, [submission.id]) == ["wrong_answer"]
    assert new.job is not None
    assert new.job.priority == min(session.scalars(select(Job.priority)))


def test_the_current_revision_brings_its_queue_with_it(session: Session) -> None:
    first = make_problem(session, "sums")
    make_judged(session, first)
    later = add_revision(session, first, limits={"gpu": True})
    own = begin(session, make_actor(session), problem="sums")
    current = begin(session, make_actor(session), "current", problem="sums")

    rows = {row.rejudging_id: row for row in session.scalars(select(Judging))}

    assert (rows[own.id].revision_id, rows[own.id].queue) == (first.id, "cpu")
    assert (rows[current.id].revision_id, rows[current.id].queue) == (later.id, "gpu")


def test_an_interpreted_submission_is_judged_again_on_a_gpu_once_there_is_one(session: Session) -> None:
    kernel = make_problem(session, "sums", frameworks=["triton", "torch"], limits={"gpu": True, "interpreter": True})
    make_judged(session, kernel)
    make_worker(session, "gpu")
    again = begin(session, make_actor(session), problem="sums")

    new = session.scalars(select(Judging).where(Judging.rejudging_id == again.id)).one()

    assert new.job is not None
    assert (new.queue, new.job.queue, new.job.frameworks) == ("gpu", "gpu", ["triton", "torch"])


def test_a_later_rejudging_stays_on_the_fixed_revision(database: Database) -> None:
    with database.transaction() as session:
        faulty = make_problem(session, "sums")
        make_judged(session, faulty, ACCEPTED, 100)
        fixed = add_revision(session, faulty)
        actor = make_actor(session)
        fix = begin(session, actor, "current", problem="sums")
    judge_again(database, WRONG, 50)
    with database.transaction() as session:
        apply(session, fix.id, actor)

        later = begin(session, actor, problem="sums")

        (change,) = list_changes(session, later).items
        new = session.scalars(select(Judging).where(Judging.rejudging_id == later.id)).one()
    assert (change.old.revision, change.new.revision) == (fixed.number, fixed.number)
    assert new.revision_id == fixed.id


def test_a_preview_says_how_many_would_go_back_to_an_older_revision(session: Session) -> None:
    first, other = make_problem(session, "sums"), make_problem(session, "means")
    later = add_revision(session, first)
    for revision in (first, later, later, other, add_revision(session, other)):
        make_judged(session, revision)
    assert preview(session, Choice(verdict=WRONG), "current").older == 0

    session.get_one(Problem, first.problem_id).current_revision_id = first.id
    session.flush()

    assert preview(session, Choice(verdict=WRONG), "current").older == 2
    assert preview(session, Choice(problem="means"), "current").older == 0
    found = preview(session, Choice(verdict=WRONG), "own")
    assert found.older == 0
    assert sorted(each.revision for each in found.items) == [1, 1, 2, 2, 2]


def test_changes_are_listed_by_submission_and_by_case(database: Database) -> None:
    with database.transaction() as session:
        revision = make_problem(session, "sums")
        wrong, right = make_judged(session, revision), make_judged(session, revision, ACCEPTED, 100)
        rejudging = begin(session, make_actor(session), problem="sums")
        assert view_rejudging(session, rejudging).kinds == {"waiting": 2}
    judge_again(database)

    with database.transaction() as session:
        view = view_rejudging(session, rejudging)
        changes = list_changes(session, rejudging).items
        only_changed = list_changes(session, rejudging, only_changed=True).items

    assert (view.state, view.judged, view.kinds) == ("ready", 2, {"better": 1, "same": 1})
    assert [(move.old, move.new, move.count) for move in view.moves] == [
        (ACCEPTED, ACCEPTED, 1),
        (WRONG, ACCEPTED, 1),
    ]
    assert [each.submission for each in only_changed] == [wrong.id]
    assert {each.submission: (each.kind, each.cases) for each in changes} == {
        wrong.id: ("better", (CaseChange(name="case_1", old=WRONG, new=ACCEPTED),)),
        right.id: ("same", ()),
    }


def test_pages_of_changes_follow_each_other(session: Session) -> None:
    revision = make_problem(session, "sums")
    submissions = sorted(make_judged(session, revision).id for _ in range(51))
    rejudging = begin(session, make_actor(session), problem="sums")

    first = list_changes(session, rejudging)
    second = list_changes(session, rejudging, cursor=first.next)

    assert [each.submission for each in (*first.items, *second.items)] == submissions
    assert second.next is None


def test_applying_lets_the_new_verdicts_count_and_what_is_solved_follows(database: Database) -> None:
    with database.transaction() as session:
        user = make_user(session)
        submission = make_judged(session, make_problem(session, "sums"), user=user)
        actor = make_actor(session)
        rejudging = begin(session, actor, problem="sums")
    judge_again(database)

    with database.transaction() as session:
        assert session.scalars(first_solved(user.id)).all() == []
        apply(session, rejudging.id, actor)

        assert session.scalars(first_solved(user.id)).all() == [submission.problem_id]
        replaced = list_replaced(session, submission.id)
        actions = session.scalars(select(AuditEvent.action).order_by(AuditEvent.id)).all()
    assert [each.verdict for each in replaced] == [WRONG]
    assert actions == ["rejudging.created", "rejudging.applied"]


def test_applying_waits_until_all_is_judged(session: Session) -> None:
    make_judged(session, make_problem(session, "sums"))
    actor = make_actor(session)
    rejudging = begin(session, actor, problem="sums")

    with pytest.raises(Conflict, match="1 of 1 submissions are not judged yet"):
        apply(session, rejudging.id, actor)


def test_a_judge_error_replaces_nothing_and_says_why(database: Database) -> None:
    with database.transaction() as session:
        submission = make_judged(session, make_problem(session, "sums"))
        actor = make_actor(session)
        rejudging = begin(session, actor, problem="sums")
    for _ in range(MAX_ATTEMPTS):
        fail(database, take_all(database)[0], "no box")

    with database.transaction() as session:
        (change,) = list_changes(session, rejudging, only_changed=True).items
        apply(session, rejudging.id, actor)

        assert counting(session, [submission.id]) == ["wrong_answer"]
    assert (change.kind, change.cases) == ("failed", ())
    assert change.reason is not None
    assert "no box" in change.reason


def test_of_two_rejudgings_of_one_submission_only_the_first_to_be_applied_can_be(database: Database) -> None:
    with database.transaction() as session:
        revision = make_problem(session, "sums")
        both, one = make_judged(session, revision), make_judged(session, revision)
        actor = make_actor(session)
        wide = begin(session, actor, problem="sums")
        narrow = begin(session, actor, ids=(both.id,))
    judge_again(database)
    with database.transaction() as session:
        apply(session, narrow.id, actor)

    with pytest.raises(Conflict, match="1 of these submissions"), database.transaction() as session:
        apply(session, wide.id, actor)

    with database.transaction() as session:
        view = view_rejudging(session, get_rejudging(session, wide.id))
        assert (view.state, view.overtaken) == ("overtaken", 1)
        listed = {each.id: (each.state, each.overtaken) for each in list_rejudgings(session).items}
        assert listed == {narrow.id: ("applied", 0), wide.id: ("overtaken", 1)}
        assert counting(session, [both.id, one.id]) == ["accepted", "wrong_answer"]
        assert get_rejudging(session, wide.id).decision is None


def test_cancelling_ends_what_waits_and_runs_and_keeps_what_was_judged(database: Database) -> None:
    with database.transaction() as session:
        revision = make_problem(session, "sums")
        submissions = [make_judged(session, revision).id for _ in range(2)]
        actor = make_actor(session)
        rejudging = begin(session, actor, ids=tuple(submissions[:1]))
    judge_again(database)
    with database.transaction() as session:
        running = begin(session, actor, ids=tuple(submissions[1:]))
    held = take_all(database)

    with database.transaction() as session:
        cancel(session, rejudging.id, actor)
        cancel(session, running.id, actor)

    with database.transaction() as session:
        assert beat(session, held, LEASE) == set(held)
        assert view_rejudging(session, get_rejudging(session, rejudging.id)).kinds == {"better": 1}
        nothing = view_rejudging(session, get_rejudging(session, running.id))
        assert (nothing.kinds, nothing.judged, nothing.moves) == ({"cancelled": 1}, 0, ())
        listed = {each.id: each.judged for each in list_rejudgings(session).items}
        assert listed == {rejudging.id: 1, running.id: 0}
        assert counting(session, submissions) == ["wrong_answer"] * 2
        with pytest.raises(Conflict, match="was already cancelled"):
            apply(session, rejudging.id, actor)


def test_submissions_of_an_erased_user_are_counted_as_gone(database: Database) -> None:
    with database.transaction() as session:
        revision, user = make_problem(session, "sums"), make_user(session)
        make_judged(session, revision)
        make_judged(session, revision, user=user)
        actor = make_actor(session)
        rejudging = begin(session, actor, problem="sums")
        erase(session, actor, user.id)
    judge_again(database)

    with database.transaction() as session:
        ready = view_rejudging(session, get_rejudging(session, rejudging.id))
        applied = view_rejudging(session, apply(session, rejudging.id, actor))

    assert (ready.state, ready.total, ready.judged, ready.kinds, ready.gone) == ("ready", 2, 1, {"better": 1}, 1)
    assert (applied.total, applied.judged, applied.kinds, applied.gone) == (2, 1, {"better": 1}, 1)


def test_the_audit_log_records_which_submissions_were_chosen(session: Session) -> None:
    user = make_user(session, "ada")
    submission = make_judged(session, make_problem(session, "sums"), user=user)
    actor = make_actor(session)
    begin(session, actor, user="ada", verdict=WRONG)
    begin(session, actor, ids=(submission.id, uuid4()))

    events = session.scalars(select(AuditEvent.after).order_by(AuditEvent.id)).all()

    assert [event["chosen"] for event in events if event] == [
        {"user": str(user.id), "verdict": "wrong_answer"},
        {"ids": 2},
    ]


def test_deciding_the_same_again_changes_nothing(database: Database) -> None:
    with database.transaction() as session:
        make_judged(session, make_problem(session, "sums"))
        actor = make_actor(session)
        rejudging = begin(session, actor, problem="sums")
    judge_again(database)

    with database.transaction() as session:
        first = apply(session, rejudging.id, actor).decided_at
        assert apply(session, rejudging.id, actor).decided_at == first
        with pytest.raises(Conflict, match="was already applied"):
            cancel(session, rejudging.id, actor)
