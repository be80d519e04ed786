"""Leftovers of a run on devices and in its box's own process. `tests/hostile` looks for all others."""

import re
from pathlib import Path

import pytest

from sandbox.guest_box import GuestBox
from sandbox.interface import BoxSpec, Launcher
from tests.sandbox.bench import make_request, run_in


@pytest.mark.whole
def test_a_box_does_not_grow_with_its_runs(launcher: Launcher) -> None:
    box = launcher.launch(BoxSpec(()))
    assert isinstance(box, GuestBox)
    request = make_request("def solve(x):\n    return x\n", {"x": "y" * 100_000})
    run_in(box, request)

    before = _resources(box.vessel.pid)
    for _ in range(30):
        run_in(box, request)

    memory, descriptors = _resources(box.vessel.pid)
    assert descriptors == before[1]
    assert memory - before[0] < 256
    box.close()


def _resources(pid: int) -> tuple[int, int]:
    """KiB of own memory, and the size of the table of descriptors."""
    status = Path(f"/proc/{pid}/status").read_text()
    memory, descriptors = re.search(r"RssAnon:\s+(\d+)", status), re.search(r"FDSize:\s+(\d+)", status)
    assert memory
    assert descriptors
    return int(memory[1]), int(descriptors[1])
