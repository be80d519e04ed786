"""The share of what a card allows, from times, bytes and arithmetic."""

import pytest

from app.judging.efficiency import Throughput
from app.judging.throughput import DeviceRun, throughput_of


def of(card: str, flops: float = 0.0, seconds: float = 0.001) -> Throughput:
    run = DeviceRun(size=10, seconds=seconds, reference_seconds=0.002, work_bytes=2_400_000_000, flops=flops)
    return throughput_of(card, [run])


def test_a_program_bound_by_memory_is_compared_with_the_bandwidth() -> None:
    found = of("NVIDIA H200")

    assert found.times[0].bytes_per_second == 2.4e12
    assert found.share == 0.5
    assert found.sentence == "2,400 GB/s at n = 10 on NVIDIA H200: 50 % of what the card allows"


def test_a_program_bound_by_arithmetic_is_compared_with_the_peak() -> None:
    assert of("NVIDIA H200", flops=53.6e9).share == 0.8


@pytest.mark.parametrize("card", ["NVIDIA GeForce 9999", ""])
def test_an_unknown_card_has_no_share(card: str) -> None:
    found = of(card)

    assert found.share is None
    assert "%" not in found.sentence


@pytest.mark.parametrize(
    ("card", "share"),
    [
        ("NVIDIA H100 PCIe", 1.2),
        ("NVIDIA H100 80GB HBM3", 0.72),
        ("NVIDIA L4", 8.0),
        ("NVIDIA L40S", 2.8),
        ("NVIDIA L40", None),
    ],
)
def test_cards_of_similar_names_have_their_own_peaks(card: str, share: float | None) -> None:
    assert of(card).share == pytest.approx(share)
