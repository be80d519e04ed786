"""A host that refuses namespaces is detected when a box starts."""

import subprocess
import sys
from pathlib import Path

import pytest

from sandbox import bubblewrap as launcher
from sandbox.bubblewrap import BubblewrapLauncher
from sandbox.guest.seccomp_filter import Filter, box_filter
from sandbox.interface import BoxSpec, SandboxUnavailable
from sandbox.runtime import find_runtime
from tests.sandbox.bench import RUNTIME, make_request, run_in, value_of

ROOT = Path(__file__).parents[2]


@pytest.fixture
def refusing_host(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*, namespaces: bool, gpu: bool = False) -> Filter:  # noqa: ARG001
        return box_filter(namespaces=False)

    monkeypatch.setattr(launcher, "box_filter", refuse)


@pytest.mark.usefixtures("refusing_host")
def test_boxes_run_without_namespaces_where_the_host_refuses_them() -> None:
    box = BubblewrapLauncher(runtime=find_runtime(RUNTIME)).launch(BoxSpec(()))

    run = run_in(box, make_request("def solve():\n    return 1\n"))
    is_usable = box.is_usable()
    box.close()

    assert box.ready.isolation == "shared"
    assert value_of(run.cases[0]) == 1
    assert is_usable


@pytest.mark.usefixtures("refusing_host")
def test_a_setting_that_demands_namespaces_makes_that_host_unavailable() -> None:
    with pytest.raises(SandboxUnavailable, match="refuses namespaces"):
        BubblewrapLauncher(runtime=find_runtime(RUNTIME), isolation="namespaces").launch(BoxSpec(()))


def test_a_launcher_without_gpus_opens_no_box_that_needs_one() -> None:
    with pytest.raises(SandboxUnavailable, match="allclose worker --queue gpu"):
        BubblewrapLauncher(runtime=find_runtime(RUNTIME)).launch(BoxSpec((), gpu=True))


def test_processes_that_are_not_kept_apart_are_found_out() -> None:
    """gVisor's kernel does not separate them. Here, a parent that has not hidden itself stands in for it."""
    program = "import sys; from sandbox.guest.isolation import is_needless; sys.exit(is_needless())"

    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)
