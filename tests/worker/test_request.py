import pytest

from app.engine.request import MOST_ANSWER_BYTES, answer_bytes, build_request, patient
from sandbox.interface import MIB
from tests.worker.bench import STANDARDISE


@pytest.mark.parametrize(
    ("sizes", "limit"),
    [
        ([], 4 * MIB),
        ([10], 4 * MIB),
        ([10, MIB, 20], 8 * MIB),
        ([MIB + 1], 16 * MIB),
        ([40 * MIB], 64 * MIB),
    ],
)
def test_an_answer_may_be_some_times_as_large_as_the_largest_expected_one(sizes: list[int], limit: int) -> None:
    assert answer_bytes([bytes(size) for size in sizes]) == limit


def test_the_packages_own_code_may_answer_as_much_as_can_be_read() -> None:
    request = patient(build_request(STANDARDISE, STANDARDISE.reference, []))

    assert request.limits.answer_bytes == MOST_ANSWER_BYTES == 64 * MIB
