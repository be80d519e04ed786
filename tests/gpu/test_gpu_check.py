"""`benchmarks/gpu_check.py` without a GPU: its programs and a worker on processors, and its message."""

import subprocess
import sys

import pytest

from app.settings import ROOT
from benchmarks.gpu_bench import Check
from benchmarks.gpu_steps import run_checks
from benchmarks.gpu_worker import check_worker
from sandbox.bubblewrap import BubblewrapLauncher
from sandbox.gpu.driver import open_driver
from sandbox.interface import Box, BoxSpec, Launcher, SandboxUnavailable
from sandbox.runtime import find_runtime
from tests.gpu.nvml import make_gpus, without_driver
from tests.sandbox.bench import RUNTIME

NEED_A_GPU = {
    "torch sees one GPU",
    "driver: 8192 MiB of 1024",
    "driver: 256 MiB of 1024, in the next box",
    "driver: words of the one before, in 2048 MiB",
}


class OnProcessors(Launcher):
    """Boxes without a GPU, for callers that ask for one."""

    name = "bubblewrap"

    def launch(self, spec: BoxSpec) -> Box:
        return BubblewrapLauncher(runtime=find_runtime(RUNTIME), isolation="shared").launch(BoxSpec(spec.frameworks))


@pytest.mark.whole
def test_on_processors_only_the_checks_that_need_a_gpu_fail() -> None:
    driver = open_driver(make_gpus())
    check = Check(OnProcessors(), driver, driver.list_gpus()[0], "here")

    wrong = {row.what: row.saw for row in run_checks(check, platforms=("cpu", "cpu")) if row.is_right is False}

    assert wrong.keys() == NEED_A_GPU
    assert all("libcuda" in saw for what, saw in wrong.items() if what.startswith("driver: "))


@without_driver
def test_without_a_gpu_it_says_so_in_a_sentence() -> None:
    said = subprocess.run([sys.executable, "-m", "benchmarks.gpu_check"], cwd=ROOT, capture_output=True, text=True)

    assert (said.returncode, said.stdout.count("\n")) == (2, 1)
    assert "no check is possible on this machine: this machine has no NVIDIA driver" in said.stdout


class WithoutPallas(Launcher):
    """Opens no box with Pallas, as where JAX has changed."""

    def __init__(self) -> None:
        self._whole = BubblewrapLauncher(runtime=find_runtime(RUNTIME))
        self.name = self._whole.name

    def launch(self, spec: BoxSpec) -> Box:
        if "pallas" in spec.frameworks:
            raise SandboxUnavailable("the box did not start: ImportError")
        return self._whole.launch(spec)


@pytest.mark.whole
def test_a_server_and_a_worker_judge_submissions_of_each_kind_whose_boxes_open() -> None:
    rows = list(check_worker(WithoutPallas(), "cpu", {"ALLCLOSE_SANDBOX": "bubblewrap"}))

    wrong = {row.what: row.saw for row in rows if row.is_right is False}
    assert wrong == {"pallas: a box": "its submissions are not run: the box did not start: ImportError"}
    assert {row.what.partition(":")[0] for row in rows if row.is_right} >= {"jax", "torch"}
