from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.database.engine import Database
from app.errors import Conflict, Invalid, LimitReached, NotFound
from app.limits import SOURCE_BYTES
from app.queue.model import Job
from app.submissions.cancel import cancel
from app.submissions.model import Judging, Submission
from app.submissions.quota import SubmitLimits
from app.submissions.submit import Submit, submit
from tests.factories import make_prepared, make_problem, make_user, make_worker, view_submission
from tests.transaction import commit, fetch_one

LIMITS = SubmitLimits(max_pending=20)


@pytest.fixture
def request_(database: Database) -> Submit:
    with database.transaction() as session:
        make_problem(session, "sums")
        return Submit(user_id=make_user(session).id, slug="sums", source="def sums(): ...", mode="submit")


def count(database: Database, model: type[Submission | Judging | Job]) -> int:
    with database.transaction() as session:
        return session.execute(select(func.count()).select_from(model)).scalar_one()


def test_a_submission_is_written_with_its_judging(database: Database, request_: Submit) -> None:
    submission = commit(database, submit, request_, LIMITS)

    judging = fetch_one(database, select(Judging))
    assert (judging.submission_id, judging.state, judging.queue) == (submission.id, "queued", "cpu")


def test_a_transaction_that_rolls_back_leaves_no_job(database: Database, request_: Submit) -> None:
    with pytest.raises(ZeroDivisionError), database.transaction() as session:  # noqa: PT012
        submit(session, request_, LIMITS)
        raise ZeroDivisionError

    assert [count(database, model) for model in (Submission, Judging, Job)] == [0, 0, 0]


def test_a_problem_that_needs_a_gpu_is_judged_by_a_gpu_worker(session: Session, request_: Submit) -> None:
    make_problem(session, "large", limits={"gpu": True})

    submit(session, replace(request_, slug="large"), LIMITS)

    assert session.scalars(select(Judging.queue)).one() == "gpu"


@pytest.mark.parametrize("queue", ["cpu", "gpu"])
def test_a_problem_with_a_framework_that_no_worker_has_is_refused(
    session: Session, request_: Submit, queue: str
) -> None:
    make_problem(session, "kernel", frameworks=["triton", "torch"], limits={"gpu": queue == "gpu"})
    make_worker(session, queue, lacks=["triton"])

    with pytest.raises(Invalid, match="needs triton, which no worker of this server has"):
        submit(session, replace(request_, slug="kernel"), LIMITS)


def test_a_problem_for_gpus_may_be_judged_by_an_interpreter_until_a_gpu_is_there(
    session: Session, request_: Submit
) -> None:
    make_problem(session, "kernel", frameworks=["pallas", "jax"], limits={"gpu": True, "interpreter": True})
    first = submit(session, replace(request_, slug="kernel"), LIMITS)
    make_worker(session, "gpu")
    second = submit(session, replace(request_, slug="kernel"), LIMITS)

    jobs = session.scalars(select(Job).order_by(Job.id)).all()
    views = [view_submission(session, each) for each in (first, second)]
    assert [(job.queue, job.frameworks) for job in jobs] == [("cpu", ["pallas", "jax"]), ("gpu", ["pallas", "jax"])]
    assert [view.is_interpreted for view in views] == [True, False]


def variants_of(database: Database, request: Submit, number: int) -> list[int]:
    """Send submissions one after the other, and return their variants."""
    found: list[int] = []
    for _ in range(number):
        found.append(commit(database, submit, request, SubmitLimits(max_pending=100)).variant)
    return found


def test_a_variant_repeats_only_after_half_of_the_others(database: Database, request_: Submit) -> None:
    with database.transaction() as session:
        make_prepared(session, make_problem(session, "many", variants=6), variants=6)
    many = replace(request_, slug="many")

    of_three, of_six = variants_of(database, request_, 12), variants_of(database, many, 40)

    assert all(len(set(of_three[i : i + 3])) == 3 for i in range(10))
    assert all(len(set(of_six[i : i + 4])) == 4 for i in range(37))
    assert set(of_six) == set(range(6))


def test_before_a_variant_is_prepared_all_students_get_the_same(database: Database, request_: Submit) -> None:
    others = [replace(request_, user_id=commit(database, make_user).id) for _ in range(8)]

    assert {tuple(variants_of(database, each, 2)) for each in (request_, *others)} == {(0, 1)}


def test_samples_and_other_people_do_not_count_for_the_variant(database: Database, request_: Submit) -> None:
    other = replace(request_, user_id=commit(database, make_user).id)
    first, second = variants_of(database, request_, 2)
    variants_of(database, other, 1)
    variants_of(database, replace(request_, mode="sample"), 1)

    (third,) = variants_of(database, request_, 1)

    assert {first, second, third} == {0, 1, 2}


def test_a_problem_with_one_variant_has_always_that(database: Database, request_: Submit) -> None:
    commit(database, make_problem, "single", variants=1)

    assert variants_of(database, replace(request_, slug="single"), 3) == [0, 0, 0]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "the source is empty"),
        (" \n\t", "the source is empty"),
        ("x" * (SOURCE_BYTES + 1), "the source has 262145 bytes; the limit is 262144"),
        ("é" * (SOURCE_BYTES // 2 + 1), "the source has 262146 bytes; the limit is 262144"),
        ("a\nb\0", "NUL character in line 2"),
        ("a\ud800", "not valid Unicode at character 1"),
        ('\ufeff{"nbformat": 4, "cells": []}', "the source is a Jupyter notebook, not Python code. Copy the cell"),
    ],
    ids=["empty", "blank", "large", "large in bytes", "NUL", "lone surrogate", "notebook"],
)
def test_a_source_that_can_not_be_judged_is_refused(
    database: Database, request_: Submit, source: str, message: str
) -> None:
    with pytest.raises(Invalid, match=message) as refused, database.transaction() as session:
        submit(session, replace(request_, source=source), LIMITS)

    assert refused.value.field == "source"
    assert count(database, Submission) == 0


def test_a_source_of_exactly_the_limit_is_taken(session: Session, request_: Submit) -> None:
    assert submit(session, replace(request_, source="x" * SOURCE_BYTES), LIMITS)


@pytest.mark.parametrize("slug", ["unknown", "a\0b", "\ud800", "sums "])
def test_an_unknown_problem_is_not_found(database: Database, request_: Submit, slug: str) -> None:
    with pytest.raises(NotFound), database.transaction() as session:
        submit(session, replace(request_, slug=slug), LIMITS)


def test_the_same_key_gives_the_same_submission(database: Database, request_: Submit) -> None:
    keyed = replace(request_, idempotency_key="once")

    first = commit(database, submit, keyed, LIMITS)
    second = commit(database, submit, keyed, LIMITS)

    assert second.id == first.id
    assert count(database, Judging) == 1


def test_a_repeated_key_is_answered_even_when_no_more_may_wait(database: Database, request_: Submit) -> None:
    keyed = replace(request_, idempotency_key="once")
    first = commit(database, submit, keyed, SubmitLimits(max_pending=1))

    assert commit(database, submit, keyed, SubmitLimits(max_pending=1)).id == first.id


def test_the_same_key_sent_many_times_at_once_gives_one_submission(database: Database, request_: Submit) -> None:
    keyed = replace(request_, idempotency_key="once")

    def send(_: int) -> object:
        return commit(database, submit, keyed, LIMITS).id

    with ThreadPoolExecutor(7) as threads:
        ids = set(threads.map(send, range(21)))

    assert len(ids) == 1
    assert (count(database, Submission), count(database, Judging)) == (1, 1)


def test_a_key_used_for_something_else_is_a_conflict(database: Database, request_: Submit) -> None:
    commit(database, submit, replace(request_, idempotency_key="once"), LIMITS)

    with pytest.raises(Conflict, match="use a new key"), database.transaction() as session:
        submit(session, replace(request_, idempotency_key="once", source="def other(): ..."), LIMITS)


def test_two_users_may_use_the_same_key(database: Database, request_: Submit) -> None:
    with database.transaction() as session:
        other = make_user(session).id
        submit(session, replace(request_, idempotency_key="once"), LIMITS)

        submit(session, replace(request_, idempotency_key="once", user_id=other), LIMITS)

    assert count(database, Submission) == 2


@pytest.mark.parametrize("key", ["", "x" * 256, "a\0", "ä", "a\n"])
def test_a_key_that_is_no_key_is_refused(database: Database, request_: Submit, key: str) -> None:
    with pytest.raises(Invalid, match="an idempotency key is"), database.transaction() as session:
        submit(session, replace(request_, idempotency_key=key), LIMITS)


def test_no_more_may_wait_than_the_limit_even_when_sent_at_once(database: Database, request_: Submit) -> None:
    def send(_: int) -> bool:
        try:
            commit(database, submit, request_, SubmitLimits(max_pending=3))
        except LimitReached:
            return False
        return True

    with ThreadPoolExecutor(7) as threads:
        taken = sum(threads.map(send, range(14)))

    assert taken == 3
    assert count(database, Judging) == 3


def test_who_cancels_at_once_what_they_send_can_not_send_without_end(session: Session, request_: Submit) -> None:
    limits = SubmitLimits(max_pending=2)
    for _ in range(2):
        assert cancel(session, submit(session, request_, limits))

    with pytest.raises(LimitReached, match="submit again in a minute"):
        submit(session, request_, limits)


def test_only_a_submission_with_custom_inputs_is_rationed(session: Session, request_: Submit) -> None:
    make_problem(session, "sized", parameters=[{"name": "n", "type": "int"}])
    own = replace(request_, slug="sized", mode="sample", inputs="n: 3\n")

    sent = [submit(session, each, LIMITS).id for each in (own, request_)]

    rationed = {job.watched: job.is_rationed for job in session.scalars(select(Job))}
    assert [rationed[each] for each in sent] == [True, False]


def test_inputs_of_ones_own_are_kept_and_are_part_of_what_a_key_stands_for(
    database: Database, request_: Submit
) -> None:
    commit(database, make_problem, "sized", parameters=[{"name": "n", "type": "int"}])
    own = replace(request_, slug="sized", mode="sample", inputs="n: 3\n", idempotency_key="once")

    assert commit(database, submit, own, LIMITS).inputs == "n: 3\n"

    with database.transaction() as session, pytest.raises(Conflict):
        submit(session, replace(own, inputs="n: 4\n"), LIMITS)
    for wrong in (replace(own, inputs="n: x", idempotency_key=None), replace(own, mode="submit", idempotency_key=None)):
        with database.transaction() as session, pytest.raises(Invalid) as refused:
            submit(session, wrong, LIMITS)
        assert refused.value.field == "inputs"
