"""A worker from end to end, for `gpu_check`: a server, `allclose worker`, and submissions of each kind.

Each kind is a package of the catalogue that is made to need a GPU. A right and a wrong one of its known submissions are
sent over REST, and must get their verdicts. A kind whose boxes do not open, since its library has another version than
`sandbox/guest` expects, is left out. Without a GPU, `python -m benchmarks.gpu_worker` does the same with a worker of
the queue cpu.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import httpx

from app.catalog.package import KnownSubmission, Package, load_package
from app.catalog.parameter import KERNEL_FRAMEWORKS
from app.engine.boxes import box_spec, open_launcher
from app.judging.verdicts import Verdict
from app.settings import ROOT, read_settings
from app.web.result import message_of
from benchmarks.gpu_bench import Row
from sandbox.interface import FrameworkMissing, Launcher, SandboxError
from tests.serving import NO_WORKER, Served, Student, serve

KINDS = {
    "jax": "stable_softmax_jax",
    "torch": "layer_norm_torch",
    "pallas": "vector_add_pallas",
    "triton": "vector_add_triton",
}
WHERE = "worker"
# All of it must end within this time. The first submission of a kind waits for a box and the reference.
MOST_SECONDS = 300
STOP_SECONDS = 30
LIMITS = re.compile(r"(?m)^limits: \{([^}]*?)(, gpu: \w+)?\}$")


def check_worker(launcher: Launcher, device: Literal["cpu", "gpu"], settings: Mapping[str, str]) -> Iterator[Row]:
    """Yield a row for each submission. `settings`: of the server and of the worker, whose boxes are the launcher's."""
    until = time.monotonic() + MOST_SECONDS
    with tempfile.TemporaryDirectory() as folder:
        problems = Path(folder) / "problems"
        kinds = dict(KINDS)
        for kind, slug in KINDS.items():
            _copy(slug, problems / slug, device, is_kernel=kind in KERNEL_FRAMEWORKS)
            if fault := _find_fault(launcher, load_package(problems / slug), kind):
                yield fault
                del kinds[kind]
                shutil.rmtree(problems / slug)
        environment = {**settings, "ALLCLOSE_PROBLEMS": str(problems)}
        with serve(Path(folder) / "data", environment, options=NO_WORKER) as server:
            student = server.sign_up()
            with _worker(server, device, environment) as log:
                for kind, slug in kinds.items():
                    for known in _chosen(problems / slug):
                        yield _submit(student, kind, known, until)
            yield Row(WHERE, "the end of its log", None, " / ".join(log.read_text().splitlines()[-3:]))


def _copy(slug: str, target: Path, device: str, *, is_kernel: bool) -> None:
    shutil.copytree(ROOT / "problems" / slug, target)
    manifest = target / "problem.yaml"
    asked = (", gpu: true, interpreter: true" if is_kernel else ", gpu: true") if device == "gpu" else ""
    opened = manifest.read_text().replace("    sealed: true\n", "")  # inspectors have no GPU
    text, changed = LIMITS.subn(rf"limits: {{\1{asked}}}", opened)
    if changed != 1:
        raise ValueError(f"{manifest} has no `limits` in one line")
    manifest.write_text(text)


def _find_fault(launcher: Launcher, package: Package, kind: str) -> Row | None:
    """Open a box of this kind, and of the one for its interpreter. Return a row if that fails."""
    try:
        for spec in {box_spec(package.manifest), box_spec(package.interpreted.manifest)}:
            launcher.launch(spec).close()
    except FrameworkMissing as missing:
        return Row(WHERE, f"{kind}: a box", None, f"not run: {missing}")
    except SandboxError as error:
        return Row(WHERE, f"{kind}: a box", False, f"its submissions are not run: {str(error).splitlines()[-1]}")
    return None


def _chosen(folder: Path) -> Sequence[KnownSubmission]:
    """Return a right and a wrong submission of the package."""
    known = load_package(folder).submissions
    return [next(one for one in known if (one.verdict is Verdict.ACCEPTED) is right) for right in (True, False)]


@contextmanager
def _worker(server: Served, device: str, settings: Mapping[str, str]) -> Iterator[Path]:
    """Run a worker, and yield the file of its log. It drains at the end."""
    log = server.data / "gpu_check.log"
    command = [sys.executable, "-m", "app.cli", "worker", "--queue", device, "--data", str(server.data)]
    with (
        log.open("w") as output,
        subprocess.Popen(
            command, env=os.environ | dict(settings), stdout=output, stderr=output, start_new_session=True
        ) as process,
    ):
        try:
            while "Judging from" not in log.read_text() and process.poll() is None:
                time.sleep(0.1)  # without a worker, kernels would go to the queue cpu
            yield log
        finally:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


def _submit(student: Student, kind: str, known: KnownSubmission, until: float) -> Row:
    what, begun = f"{kind}: {known.verdict}, {known.name}", time.monotonic()
    try:
        submission = student.send(KINDS[kind], known.source)
    except httpx.HTTPStatusError as error:  # such as an optional framework that is not installed
        return Row(WHERE, what, None, f"not run: {error.response.text}")
    while time.monotonic() < until:
        answer = student.client.get(f"/submissions/{submission}?wait=10").raise_for_status()
        view: dict[str, Any] = answer.json()
        if view["state"] == "done":
            seconds = time.monotonic() - begun
            return _row_of(view, known, what, f"{view['verdict']} after {seconds:.1f} s")
    return Row(WHERE, what, False, f"no verdict within {MOST_SECONDS} s, all submissions together")


def _row_of(view: dict[str, Any], known: KnownSubmission, what: str, told: str) -> Row:
    if view["is_interpreted"]:
        return Row(WHERE, what, False, f"{told}, but by an interpreter")
    if view["verdict"] == known.verdict:
        return Row(WHERE, what, True, told)
    messages = [message_of(case["report"]) for case in view["cases"]]
    return Row(WHERE, what, False, f"{told}: {next(filter(None, messages), 'no message')}")


if __name__ == "__main__":
    from benchmarks.gpu_check import print_table

    print_table(list(check_worker(open_launcher(read_settings(), cache=None), "cpu", {})))
