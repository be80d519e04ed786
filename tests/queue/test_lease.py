from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import func, select, update

from app.database.engine import Database
from app.judging.verdicts import CaseResult, Finish, Phase, Verdict
from app.queue.lease import Wanted, beat, bury, claim, fail, give_back
from app.queue.model import MAX_ATTEMPTS, Job
from app.submissions.cancel import cancel
from app.submissions.judging_record import JudgingClaim, add_hint, finish, record_cases, record_phases
from app.submissions.model import CaseRow, Judging, Submission
from tests.factories import make_judging, make_result, make_submission
from tests.transaction import commit, execute, fetch_all, fetch_one

LEASE = timedelta(seconds=15)
EXPIRED = func.now() - timedelta(seconds=1)
# Written before the database's clock was set back by an hour.
AHEAD = func.now() + timedelta(hours=1)


def wanted(*queues: str, slots: int = 1, worker: str = "worker") -> Wanted:
    return Wanted(queues=queues or ("cpu",), slots=slots, worker=worker, lease=LEASE)


def make_queue(database: Database, *priorities: int, queue: str = "cpu") -> list[int]:
    with database.transaction() as session:
        submission = make_submission(session)
        return [make_judging(session, submission.id, priority=p, queue=queue).id for p in priorities]


def take(database: Database, wish: Wanted) -> list[JudgingClaim]:
    return commit(database, claim, wish, JudgingClaim)


def take_one(database: Database, worker: str = "worker") -> JudgingClaim:
    (taken,) = take(database, wanted(worker=worker))
    return taken


def make_custom_inputs(database: Database, *priorities: int) -> list[int]:
    """Make judgings of different users' custom inputs."""
    with database.transaction() as session:
        submissions = [make_submission(session, mode="sample") for _ in priorities]
        each = zip(submissions, priorities, strict=True)
        return [make_judging(session, one.id, priority=priority, is_rationed=True).id for one, priority in each]


def set_columns(database: Database, **columns: object) -> None:
    execute(database, update(Job).values(**columns))


def read(database: Database) -> Judging:
    return fetch_one(database, select(Judging))


def read_job(database: Database) -> Job:
    return fetch_one(database, select(Job))


def attempts_left(job: Job) -> int:
    return MAX_ATTEMPTS - (job.attempt - job.given_back)


def accepted(*cases: CaseResult) -> Finish:
    return Finish(verdict=Verdict.ACCEPTED, score=100, cases=cases, image="image", versions={"numpy": "2"})


def test_the_highest_priority_goes_first_and_then_the_oldest(database: Database) -> None:
    low, first, second, high = make_queue(database, -1, 0, 0, 1)

    order = [take_one(database).judging_id for _ in range(4)]

    assert order == [high, first, second, low]


def test_a_worker_takes_no_more_than_its_slots_and_only_from_its_queues(database: Database) -> None:
    make_queue(database, 0, 0, queue="cpu")
    make_queue(database, 0, 0, queue="gpu")
    make_queue(database, 0, queue="other")

    taken = take(database, wanted("cpu", "gpu", slots=3))
    rest = take(database, wanted("cpu", "gpu", slots=3))

    assert (len(taken), len(rest)) == (3, 1)


def test_a_worker_leaves_what_needs_a_framework_that_it_lacks_to_others(database: Database) -> None:
    with database.transaction() as session:
        submission = make_submission(session)
        kernel = make_judging(session, submission.id, frameworks=["triton", "torch"], priority=2).id
        others = [make_judging(session, submission.id, frameworks=each).id for each in (["torch"], [])]

    without = take(database, replace(wanted(slots=3, worker="without"), lacks=["triton"]))
    with_it = take(database, wanted(slots=3, worker="with"))

    assert [[each.judging_id for each in claims] for claims in (without, with_it)] == [others, [kernel]]


def test_a_lost_job_that_a_worker_can_not_run_does_not_hold_up_its_others(database: Database) -> None:
    with database.transaction() as session:
        submission = make_submission(session)
        make_judging(session, submission.id, frameworks=["triton"], priority=2)
        other = make_judging(session, submission.id).id
        session.execute(update(Job).values(attempt=2, lease_until=EXPIRED))

    (taken,) = take(database, replace(wanted(slots=3), lacks=["triton"]))

    assert taken.judging_id == other


def test_two_workers_never_hold_the_same_judging(database: Database) -> None:
    ids = make_queue(database, *[0] * 200)

    def take_all(_: int) -> list[int]:
        held = []
        while claims := take(database, wanted(slots=3)):
            held += [each.judging_id for each in claims]
        return held

    with ThreadPoolExecutor(7) as workers:
        held = [judging_id for each in workers.map(take_all, range(7)) for judging_id in each]

    assert sorted(held) == ids


@pytest.mark.parametrize("lease_until", [EXPIRED, AHEAD])
def test_a_judging_whose_lease_has_expired_is_taken_as_the_next_attempt(
    database: Database, lease_until: object
) -> None:
    make_queue(database, 0)
    first = take_one(database, "dead")
    set_columns(database, lease_until=lease_until)

    second = take_one(database)

    assert (second.judging_id, second.attempt) == (first.judging_id, 2)
    assert read_job(database).reason == "attempt 1: its worker dead stopped beating"


def test_a_worker_runs_one_judging_at_a_time_that_was_lost_twice(database: Database) -> None:
    make_queue(database, 0, 0)
    for name in ("first", "second"):
        lost = {claim.judging_id for claim in take(database, wanted(slots=2, worker=name))}
        set_columns(database, lease_until=EXPIRED)
    make_queue(database, 0)

    taken = {claim.judging_id for claim in take(database, wanted(slots=4, worker="third"))}
    again = take(database, wanted(slots=4, worker="third"))
    other = {claim.judging_id for claim in take(database, wanted(slots=4, worker="fourth"))}

    assert len(lost) == 2
    assert (len(taken), len(taken & lost)) == (2, 1)
    assert again == []
    assert other == lost - taken


def test_a_beat_holds_the_lease_and_names_those_that_are_lost(database: Database) -> None:
    make_queue(database, 0, 0)
    kept, lost = take(database, wanted(slots=2))
    execute(database, update(Job).where(Job.id == lost.job_id).values(lease_until=EXPIRED))
    take_one(database, "other")
    set_columns(database, lease_until=EXPIRED)

    assert commit(database, beat, {kept, lost}, LEASE) == {lost}

    still_held = fetch_all(database, select(Job.id).where(Job.is_held))
    assert still_held == [kept.job_id]


def test_a_finished_judging_has_its_verdict_and_its_cases(database: Database) -> None:
    make_queue(database, 0)
    held = take_one(database)

    large: dict[str, Any] = {"memory_bytes": 2**33, "report": {"text": "é"}}

    assert finish(database, held, accepted(make_result(0, **large), make_result(1, **large)))

    judging = read(database)
    assert (judging.state, judging.verdict, judging.score, judging.job) == ("done", "accepted", 100, None)
    assert (judging.attempt, judging.worker, judging.started_at is not None) == (1, "worker", True)
    assert (judging.image, judging.versions) == ("image", {"numpy": "2"})
    rows = fetch_all(database, select(CaseRow).order_by(CaseRow.position))
    assert [(row.name, row.attempt, row.memory_bytes, row.report) for row in rows] == [
        ("case_0", 1, 2**33, {"text": "é"}),
        ("case_1", 1, 2**33, {"text": "é"}),
    ]


def test_results_are_numbered_as_they_come_in(database: Database) -> None:
    make_queue(database, 0)
    held = take_one(database)
    for position in (2, 0):
        commit(database, record_cases, held, [make_result(position)])

    finish(database, held, accepted(make_result(0), make_result(1), make_result(2)))

    rows = fetch_all(database, select(CaseRow).order_by(CaseRow.sequence))
    assert [row.position for row in rows] == [2, 0, 1]
    assert len({row.sequence for row in rows}) == 3


def test_a_hint_ends_with_the_judging_or_comes_after_it(database: Database) -> None:
    make_queue(database, 0, 0)
    first, second = take(database, wanted(slots=2))
    add_hint(database, second, "too early")

    finish(database, first, replace(accepted(make_result(0)), hint="sums for means"))
    finish(database, second, replace(accepted(make_result(0)), hint_pending=True))
    pending = select(Judging.hint_pending).order_by(Judging.id)
    assert fetch_all(database, pending) == [False, True]
    add_hint(database, second, "means for sums")
    add_hint(database, replace(second, attempt=2), "of another attempt")

    with database.transaction() as session:
        assert session.scalars(select(Judging.hint).order_by(Judging.id)).all() == ["sums for means", "means for sums"]
        assert session.scalars(pending).all() == [False, False]


def test_finishing_again_after_a_lost_answer_is_still_finished(database: Database) -> None:
    make_queue(database, 0)
    held = take_one(database)

    assert finish(database, held, accepted(make_result(0)))
    assert finish(database, held, accepted(make_result(0)))


def test_a_failed_attempt_goes_back_into_the_queue_with_its_reason(database: Database) -> None:
    make_queue(database, 0)

    fail(database, take_one(database), "no \0box")

    judging = read(database)
    assert (judging.state, judging.verdict, judging.latest.reason) == ("queued", None, "attempt 1: no \\x00box")
    assert take_one(database).attempt == 2


def test_the_last_failure_is_a_judge_error_with_every_reason(database: Database) -> None:
    make_queue(database, 0)
    set_columns(database, attempt=MAX_ATTEMPTS - 2)

    for reason in ("one", "other"):
        fail(database, take_one(database), reason)

    judging = read(database)
    assert (judging.state, judging.verdict) == ("done", "judge_error")
    assert judging.reason == "attempt 4: one\nattempt 5: other"
    assert (judging.attempt, judging.worker) == (MAX_ATTEMPTS, "worker")
    assert take(database, wanted()) == []


@pytest.mark.parametrize("lease_until", [EXPIRED, AHEAD])
def test_a_judging_whose_last_worker_died_is_buried(database: Database, lease_until: object) -> None:
    make_queue(database, 0)
    set_columns(database, attempt=MAX_ATTEMPTS - 1)
    take_one(database, "last")
    set_columns(database, lease_until=lease_until)

    assert take(database, wanted()) == []
    assert commit(database, bury, JudgingClaim) == 1

    judging = read(database)
    assert (judging.state, judging.verdict) == ("done", "judge_error")
    assert judging.reason == "attempt 5: its worker last stopped beating"


def test_a_judging_with_attempts_left_is_not_buried(database: Database) -> None:
    make_queue(database, 0)
    take_one(database)
    set_columns(database, lease_until=EXPIRED)

    assert commit(database, bury, JudgingClaim) == 0


def test_giving_back_costs_no_attempt(database: Database) -> None:
    make_queue(database, 0)

    for _ in range(MAX_ATTEMPTS + 1):
        give_back(database, take_one(database))

    assert (read(database).state, attempts_left(read_job(database))) == ("queued", MAX_ATTEMPTS)


def cancel_it(database: Database) -> bool:
    with database.transaction() as session:
        return cancel(session, session.scalars(select(Submission)).one())


def test_a_cancelled_judging_in_the_queue_ends_at_once_and_no_worker_takes_it(database: Database) -> None:
    make_queue(database, 0)

    assert cancel_it(database)

    judging = read(database)
    assert (judging.state, judging.verdict, judging.score) == ("done", "cancelled", None)
    assert judging.finished_at is not None
    assert take(database, wanted()) == []


def test_a_cancelled_judging_that_runs_ends_at_once_and_is_lost_at_the_next_beat(database: Database) -> None:
    make_queue(database, 0)
    held = take_one(database)

    cancel_it(database)

    assert read(database).verdict == "cancelled"
    assert commit(database, beat, {held}, LEASE) == {held}


def take_over(database: Database) -> None:
    set_columns(database, lease_until=EXPIRED)
    take_one(database, "peer")


@pytest.mark.parametrize(("lose", "state", "verdict"), [(cancel_it, "done", "cancelled"), (take_over, "judging", None)])
def test_a_worker_that_lost_its_judging_writes_nothing_about_it(
    database: Database, lose: Callable[[Database], object], state: str, verdict: str | None
) -> None:
    make_queue(database, 0)
    held = take_one(database)
    lose(database)

    with database.transaction() as session:
        record_cases(session, held, [make_result(0)])
        record_phases(session, held, [Phase(name="running", seconds=None)])
    fail(database, held, "no box")
    give_back(database, held)
    assert not finish(database, held, accepted(make_result(0)))

    judging = read(database)
    assert (judging.state, judging.verdict, judging.reason, judging.phases) == (state, verdict, None, None)
    assert take(database, wanted()) == []
    with database.transaction() as session:
        assert session.scalars(select(CaseRow)).all() == []
        assert bury(session, JudgingClaim) == 0


def test_cancelling_what_is_done_changes_nothing(database: Database) -> None:
    make_queue(database, 0)
    held = take_one(database)
    finish(database, held, accepted())

    assert not cancel_it(database)

    assert read(database).verdict == "accepted"


def test_phases_are_kept_with_the_verdict(database: Database) -> None:
    make_queue(database, 0)
    held = take_one(database)
    commit(database, record_phases, held, [Phase(name="box", seconds=None)])
    before = read(database).phases

    finish(database, held, replace(accepted(), phases=[Phase(name="box", seconds=0.25)]))

    assert before == [{"name": "box", "seconds": None}]
    assert read(database).phases == [{"name": "box", "seconds": 0.25}]


def test_an_unknown_claim_is_lost(database: Database) -> None:
    unknown = JudgingClaim(job_id=1, judging_id=1, attempt=1, watched=uuid4())

    assert commit(database, beat, {unknown}, LEASE) == {unknown}


def test_a_worker_claims_no_second_judging_of_custom_inputs_while_it_works_on_one(database: Database) -> None:
    first, second = make_custom_inputs(database, 3, 2)
    (ordinary,) = make_queue(database, 1)

    taken = [take_one(database), take_one(database)]
    nothing = take(database, wanted())
    of_another = take_one(database, worker="other")

    assert [each.judging_id for each in taken] == [first, ordinary]
    assert nothing == []
    assert of_another.judging_id == second


def test_a_worker_claims_the_next_judging_of_custom_inputs_after_the_first(database: Database) -> None:
    first, second = make_custom_inputs(database, 2, 1)
    done = take_one(database)

    finish(database, done, accepted())

    assert (done.judging_id, take_one(database).judging_id) == (first, second)


def test_a_worker_with_free_slots_claims_one_judging_of_custom_inputs(database: Database) -> None:
    first, _ = make_custom_inputs(database, 3, 2)
    (ordinary,) = make_queue(database, 1)

    taken = take(database, wanted(slots=8))

    assert [each.judging_id for each in taken] == [first, ordinary]
