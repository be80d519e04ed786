"""Check judging with a GPU, on a machine that has one: `python -m benchmarks.gpu_check`.

It opens bubblewrap boxes as a worker of the queue gpu does, runs JAX, PyTorch and the CUDA driver in them, and prints a
table of findings. The exit code is 0 if everything is as expected, 1 if not, and 2 without a GPU.

Last, it judges submissions of each kind with a server and a worker of the queue gpu (`benchmarks/gpu_worker.py`).

It needs this repository and Allclose's packages, which `make gpu-wheels` packs for a machine without a network. Boxes
use the environment that ALLCLOSE_RUNTIME names, by default the one of the Python that runs this. If root runs it, other
users must be able to read that environment (`chmod -R go+rX`). It uses one GPU, which should be idle, and ends within 8
minutes.
"""

import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks import gpu_programs as programs
from benchmarks import gpu_worker
from benchmarks.gpu_bench import Check, Row
from benchmarks.gpu_steps import run_checks
from sandbox.bubblewrap import BubblewrapLauncher
from sandbox.gpu.driver import Driver, Gpu, open_driver
from sandbox.gpu.gpu_lease import Gpus, reserved
from sandbox.interface import BoxSpec, Isolation, Launcher, SandboxUnavailable
from sandbox.runtime import Runtime, find_runtime

# What runs then is stopped, which takes up to 70 s.
MOST_SECONDS = 400


class TimeIsUp(BaseException):
    """No handler of Exception stops it, so that it ends the check and not only a step."""


def main() -> int:
    try:
        driver = open_driver()
        present = driver.list_gpus()
        runtime = find_runtime(Path(os.environ.get("ALLCLOSE_RUNTIME", sys.prefix)))
    except SandboxUnavailable as error:
        print(f"no check is possible on this machine: {error}")
        return 2
    if not present:
        print("no check is possible on this machine: NVIDIA's driver shows no GPU")
        return 2
    gpu, rows = present[0], list[Row]()
    print(f"{platform.platform()}, driver {driver.version}, {gpu}, user {os.geteuid()}, {runtime}", flush=True)
    signal.signal(signal.SIGALRM, _stop)
    signal.alarm(MOST_SECONDS)
    try:
        for row in _run_all(driver, gpu, runtime):
            rows.append(row)
    except TimeIsUp:
        rows.append(Row("all", "the rest", False, f"not run: {MOST_SECONDS} s are over"))
    print_table(rows)
    return int(any(row.is_right is False for row in rows))


def _stop(*_: object) -> None:
    raise TimeIsUp


def _run_all(driver: Driver, gpu: Gpu, runtime: Runtime) -> Iterator[Row]:
    isolations: tuple[Isolation, ...] = ("namespaces", "shared")
    launchers: list[Launcher] = []
    with reserved([gpu]):
        yield from check_calls(runtime.folder, {"JAX_PLATFORMS": "cuda,cpu", "XLA_PYTHON_CLIENT_PREALLOCATE": "false"})
        for isolation in isolations:
            gpus = Gpus(driver, [gpu])
            launcher = BubblewrapLauncher(runtime=runtime, isolation=isolation, cores_per_box=2, gpus=gpus)
            if why := why_not(launcher):
                yield Row(isolation, "a box without a GPU", None, f"not run: {why}")
                continue
            launchers.append(launcher)
            yield from run_checks(Check(launcher, driver, gpu, isolation))
    for first in launchers[:1]:
        yield from check_worker(first, runtime.folder)  # its worker reserves the GPU


def why_not(launcher: Launcher) -> str | None:
    """Return why this host opens no such box, even without a GPU, or None."""
    try:
        launcher.launch(BoxSpec(())).close()
    except SandboxUnavailable as error:
        return str(error)
    return None


def check_worker(launcher: Launcher, runtime: Path) -> Iterator[Row]:
    """Judge with a server and a worker. Every exception becomes a finding."""
    try:
        yield from gpu_worker.check_worker(
            launcher, "gpu", {"ALLCLOSE_RUNTIME": str(runtime), "ALLCLOSE_SANDBOX": "bubblewrap"}
        )
    except Exception as error:
        yield Row("worker", "a server and a worker", False, f"{type(error).__name__}: {error}")


def check_calls(runtime: Path, environment: dict[str, str]) -> Iterator[Row]:
    """List the driver's system calls that the CPU filter and the GPU filter refuse, outside of a box."""
    for framework, source in programs.TRACED.items():
        with tempfile.NamedTemporaryFile("w", suffix=".py") as program:
            program.write(source)
            program.flush()
            for device, mode in (("cpu", "permit"), ("gpu", "refuse")):
                command = [
                    str(runtime / "bin" / "python"),
                    "-m",
                    "benchmarks.refused_calls",
                    device,
                    mode,
                    program.name,
                ]
                done = subprocess.run(
                    command, env=os.environ | environment, capture_output=True, text=True, timeout=300, check=False
                )
                yield _calls_row(framework, f"filter for {device}s, calls {mode}d", done)


def _calls_row(framework: str, where: str, done: "subprocess.CompletedProcess[str]") -> Row:
    try:
        result = json.loads(done.stdout.strip().splitlines()[-1])
    except (ValueError, IndexError):
        return Row(where, f"{framework}: calls", None, f"not available: {done.stderr.strip()[-300:]}")
    print(f"[{where}] {framework}: {json.dumps(result['calls'])}", flush=True)
    is_right = result["ended"].startswith(programs.ON_GPU) if "refuse" in where else None
    counts = ", ".join(f"{name} {count}" for name, count in sorted(result["counts"].items())) or "none"
    return Row(where, f"{framework}: calls that it refuses", is_right, f"{counts}; {result['ended'][:120]}")


def print_table(rows: list[Row]) -> None:
    mark = {True: "yes", False: "NO", None: ""}
    widths = [max(len(row.where) for row in rows), max(len(row.what) for row in rows)]
    print(f"\n{'where':{widths[0]}}  {'what':{widths[1]}}  right  seen")
    for row in rows:
        print(f"{row.where:{widths[0]}}  {row.what:{widths[1]}}  {mark[row.is_right]:5}  {row.saw[:160]}")


if __name__ == "__main__":
    sys.exit(main())
