"""How near a solution's time on a GPU is to the least that the card allows.

The least time is that of a roofline: the inputs and outputs pass the card's memory once, and the reference's
arithmetic runs at the card's peak. The share is that time over the solution's. Peaks are those of the makers' data
sheets, for float32 without tensor cores.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.judging.efficiency import DeviceTime, Throughput, rounded

# Bytes per second, and floating-point operations per second. The first name whose words are in the card's name counts.
PEAKS: Mapping[str, tuple[float, float]] = {
    "B200": (8.0e12, 75e12),
    "H200": (4.8e12, 67e12),
    "H100 PCIe": (2.0e12, 51e12),
    "H100": (3.35e12, 67e12),
    "A100-SXM4-40GB": (1.555e12, 19.5e12),
    "A100-PCIE-40GB": (1.555e12, 19.5e12),
    "A100": (2.0e12, 19.5e12),
    "L40S": (0.864e12, 91.6e12),
    "L4": (0.3e12, 30.3e12),
    "T4": (0.32e12, 8.1e12),
    "V100": (0.9e12, 15.7e12),
    "RTX 4090": (1.008e12, 82.6e12),
    "RTX 3090": (0.936e12, 35.6e12),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceRun:
    """What was measured at one size. `work_bytes`: of the inputs and the answer. `flops`: of the reference."""

    size: int
    seconds: float
    reference_seconds: float
    work_bytes: int
    flops: float


def throughput_of(card: str, runs: Sequence[DeviceRun]) -> Throughput:
    """`runs`: at least one."""
    ordered = sorted(runs, key=lambda run: run.size)
    return Throughput(card=card, times=tuple(map(_time_of, ordered)), share=_share(card, ordered[-1]))


def _time_of(run: DeviceRun) -> DeviceTime:
    return DeviceTime(
        size=run.size,
        seconds=rounded(run.seconds),
        reference_seconds=rounded(run.reference_seconds),
        bytes_per_second=rounded(run.work_bytes / run.seconds),
    )


def _share(card: str, run: DeviceRun) -> float | None:
    peaks = next((found for name, found in PEAKS.items() if re.search(rf"\b{name}\b", card)), None)
    if peaks is None:
        return None
    bandwidth, arithmetic = peaks
    return rounded(max(run.work_bytes / bandwidth, run.flops / arithmetic) / run.seconds)
