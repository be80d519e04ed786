from collections import Counter
from uuid import uuid4

from app.engine.prepare import in_order
from tests.worker.cases import make_case

CASES = [make_case(position) for position in range(4)]


def test_samples_come_first_and_hidden_cases_in_any_order() -> None:
    orders = [[case.position for case in in_order(CASES, uuid4())] for _ in range(300)]

    assert {order[0] for order in orders} == {0}
    assert len(Counter(map(tuple, orders))) == 6
    assert all(sorted(order) == [0, 1, 2, 3] for order in orders)


def test_another_attempt_at_a_submission_has_the_same_order() -> None:
    submission = uuid4()

    assert in_order(CASES, submission) == in_order(CASES, submission)
