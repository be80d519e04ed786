"""Other judges, each run as its documentation says, on a NumPy problem and a JAX problem in the judge's own format.

Each has its own environment below build/judges, with the frameworks of the boxes. If a judge can't be installed or
can't judge these problems, a note says so, and the next one is tried.
"""

import csv
import json
import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import indent
from typing import Any

import numpy as np

from app.settings import ROOT, Settings
from benchmarks.machine import Cost, cost_of, saying
from benchmarks.service import NUMPY, Case, Exercise
from sandbox.guest.codec import decode

FOLDER = ROOT / "build" / "judges"
SLUGS = (NUMPY, "microbatched_grads")
WANTED = 2
# These judges compare decimals. Allclose's tolerances for both problems are stricter.
DECIMALS = 3
SECONDS, KIBIBYTES = 60, 16 * 2**20

Submit = Callable[[], None]
Open = Callable[[Path, Exercise, Sequence[Case], Path], AbstractContextManager[Submit]]
JudgingResult = list[tuple[str, str, list[Cost]]]


class NotMeasured(Exception):
    """The judge can't be installed on this machine, or can't judge the problem."""


def measure(
    exercises: Sequence[Exercise], cases: Mapping[str, Sequence[Case]], repeat: int
) -> tuple[JudgingResult, list[str]]:
    """Measure the first judges that judge all of SLUGS.

    Returns the judge, the problem and the costs of the submissions, and notes on the judges that failed.
    """
    chosen = [exercise for exercise in exercises if exercise.slug in SLUGS]
    found: JudgingResult = []
    notes: list[str] = []
    complete = 0
    for name, (requirement, open_judge) in JUDGES.items():
        if complete == WANTED:
            break
        try:
            environment = _install(requirement)
        except NotMeasured as error:
            notes.append(f"{name}: not measured: {error}")
            continue
        judged: JudgingResult = []
        for exercise in chosen:
            given = cases[exercise.slug]
            try:
                with TemporaryDirectory() as folder, open_judge(environment, exercise, given, Path(folder)) as submit:
                    submit()
                    judged.append((name, exercise.slug, [cost_of(submit) for _ in range(repeat)]))
            except NotMeasured as error:
                notes.append(f"{name}: not measured on {exercise.slug}: {error}")
        complete += len(judged) == len(chosen)
        found += judged
    return found, notes


def _install(requirement: str) -> Path:
    """Create an environment with the boxes' Python and frameworks. Raises NotMeasured."""
    environment = FOLDER / re.sub(r"\[.*\]", "", requirement)
    if not (environment / "installed").exists():
        with saying(f"installing {requirement}"):
            _must([str(Settings().runtime / "bin" / "python"), "-m", "venv", "--clear", str(environment)])
            pip = [str(environment / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
            _must([*pip, *os.environ.get("PIP_ARGS", "").split(), requirement])
            [packages] = environment.glob("lib/python*/site-packages")
            (packages / "frameworks.pth").write_text(f"{_frameworks()}\n")
            (environment / "installed").touch()
    return environment


def _frameworks() -> Path:
    [packages] = Settings().runtime.glob("lib/python*/site-packages")
    return packages


def _must(command: Sequence[str], **options: Any) -> None:
    """Run a command. Raises NotMeasured with the last line of its output."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise NotMeasured(f"{Path(command[0]).name} {command[1]} failed: {lines[-1] if lines else done.returncode}")


ARGUMENTS = """
import {module}

def arguments(case):
    for name, kind, value in case:
        yield {array}(value, dtype="float32") if isinstance(value, list) or kind == "jax" else value
"""
PROGRAM = """
import json
import numpy
for case in json.load(sys.stdin):
    print(*numpy.ravel({entry_point}(*arguments(case))))
"""
CHECK = """
with open("cases.json") as file:
    inputs, expected = json.load(file)
for case, right in zip(inputs, expected):
    answer = numpy.ravel({entry_point}(*arguments(case)))
    numpy.testing.assert_allclose(answer, right, rtol=1e-{decimals}, atol=1e-{decimals})
"""
TEST = """
import json
import numpy
from otter.test_files import test_case

OK_FORMAT = False
name = "all"
points = 1
{arguments}

@test_case()
def test_all({entry_point}):
{check}
"""


# DMOJ's own Python executor kills a process that imports NumPy or JAX.
EXECUTOR = """
from dmoj.executors.python_executor import PythonExecutor

class Executor(PythonExecutor):
    command = "python3"
    nproc = -1
    syscalls = ["clock_nanosleep", "eventfd2", "mbind"]
    test_program = "import sys; print(sys.stdin.read(), end='')"
"""


@contextmanager
def _dmoj(environment: Path, exercise: Exercise, cases: Sequence[Case], folder: Path) -> Iterator[Submit]:
    """DMOJ's judge, which waits for submissions. It starts a process for each case, so all cases are one of its own."""
    [executors] = environment.glob("lib/python*/site-packages/dmoj/executors")
    (executors / "PYML.py").write_text(EXECUTOR)
    problem, python = folder / "problems" / exercise.slug, Settings().runtime / "bin" / "python"
    problem.mkdir(parents=True)
    (problem / "1.in").write_text(json.dumps(_inputs(exercise, cases)))
    (problem / "1.out").write_text("".join(" ".join(map(repr, answer)) + "\n" for answer in _answers(cases)))
    checker = {"name": "floats", "args": {"precision": DECIMALS}}
    test_case = {"in": "1.in", "out": "1.out", "points": 1}
    (problem / "init.yml").write_text(json.dumps({"test_cases": [test_case], "checker": checker}))
    readable = {str(path) for path in (python.resolve().parents[1], Settings().runtime, _frameworks())}
    config = {
        "problem_storage_globs": [str(folder / "problems" / "*")],
        "runtime": {"python3": str(python)},
        "extra_fs": {"PYML": [{"recursive_dir": path} for path in sorted(readable)]},
    }
    (folder / "judge.yml").write_text(json.dumps(config))
    source = folder / "solution.py"
    head = f"import sys\nsys.path.append({str(_frameworks())!r})\n"
    tail = PROGRAM.format(entry_point=exercise.package.manifest.entry_point)
    source.write_text(head + exercise.source + _arguments(exercise) + tail)
    options = ["--config", str(folder / "judge.yml"), "--history", str(folder / "history"), "--no-ansi"]
    judge = subprocess.Popen(
        [str(environment / "bin" / "dmoj-cli"), *options, "--only-executors", "PYML"],
        env={**os.environ, "PYTHONUNBUFFERED": "1", "TERM": "dumb"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        _read_to_prompt(judge)
        limits = f"--time-limit {SECONDS} --memory-limit {KIBIBYTES}"

        def submit() -> None:
            assert judge.stdin is not None
            judge.stdin.write(f"submit {exercise.slug} PYML {source} {limits}\n".encode())
            judge.stdin.flush()
            printed = _read_to_prompt(judge)
            if fault := re.search(r"Protection fault on: .*", printed):
                raise NotMeasured(f"its sandbox kills the process: {fault[0]}")
            _must_accept(re.search(r"Test case +1 AC", printed) is not None, printed)

        yield submit
    finally:
        os.killpg(judge.pid, signal.SIGKILL)
        judge.wait()


def _read_to_prompt(judge: subprocess.Popen[bytes]) -> str:
    """Return what the judge prints until its next prompt. Raises NotMeasured."""
    assert judge.stdout is not None
    printed = b""
    while not printed.endswith(b"dmoj> "):
        read = os.read(judge.stdout.fileno(), 4096)
        if not read:
            raise NotMeasured(f"it ended: {printed.decode(errors='replace').strip()[-300:]}")
        printed += read
    return printed.decode(errors="replace")


@contextmanager
def _otter(environment: Path, exercise: Exercise, cases: Sequence[Case], folder: Path) -> Iterator[Submit]:
    """`otter run`: a process for each submission, without a container."""
    otter, entry_point = str(environment / "bin" / "otter"), exercise.package.manifest.entry_point
    (folder / "tests").mkdir()
    check = indent(CHECK.format(entry_point=entry_point, decimals=DECIMALS), " " * 4)
    test = TEST.format(entry_point=entry_point, arguments=_arguments(exercise), check=check)
    (folder / "tests" / "all.py").write_text(test)
    (folder / "cases.json").write_text(json.dumps([_inputs(exercise, cases), _answers(cases)]))
    (folder / "solution.py").write_text(exercise.source)
    own = _environment(environment, folder)
    _must([otter, "generate", "--tests-dir", "tests", "cases.json"], cwd=folder, env=own)

    def submit() -> None:
        _must([otter, "run", "solution.py", "--no-logo"], cwd=folder, env=own)
        results = json.loads((folder / "results.json").read_text())["tests"]
        _must_accept(all(test.get("status") != "failed" for test in results) and bool(results), json.dumps(results))

    yield submit


@contextmanager
def _nbgrader(environment: Path, exercise: Exercise, cases: Sequence[Case], folder: Path) -> Iterator[Submit]:
    """`nbgrader autograde`: a kernel for each notebook, without a container."""
    nbgrader, own = str(environment / "bin" / "nbgrader"), _environment(environment, folder)
    entry_point = exercise.package.manifest.entry_point
    test = CHECK.format(entry_point=entry_point, decimals=DECIMALS)
    solution = _cell("solution", exercise.source, is_solution=True)
    checks = _cell("checks", f"import json\nimport numpy\n{_arguments(exercise)}\n{test}", is_solution=False)
    notebook = {"cells": [solution, checks], "metadata": KERNEL, "nbformat": 4, "nbformat_minor": 5}
    (folder / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'course'\n")
    for target in (folder / "source" / "one", folder / "submitted" / "student" / "one"):
        target.mkdir(parents=True)
        (target / "one.ipynb").write_text(json.dumps(notebook))
        (target / "cases.json").write_text(json.dumps([_inputs(exercise, cases), _answers(cases)]))
    _must([nbgrader, "generate_assignment", "one"], cwd=folder, env=own)

    def submit() -> None:
        _must([nbgrader, "autograde", "one", "--student", "student", "--force"], cwd=folder, env=own)

    submit()
    _must([nbgrader, "export", "--to", "grades.csv"], cwd=folder, env=own)
    with (folder / "grades.csv").open() as file:
        [grade] = csv.DictReader(file)
    _must_accept(float(grade["score"]) == float(grade["max_score"]) > 0, str(grade))
    yield submit


def _cell(name: str, source: str, *, is_solution: bool) -> dict[str, Any]:
    """Return a cell of a notebook, with nbgrader's metadata."""
    graded = {"grade": not is_solution, "locked": not is_solution, "solution": is_solution, "task": False}
    about = {"grade_id": name, "schema_version": 3, **graded, **({} if is_solution else {"points": 1})}
    code: dict[str, Any] = {"cell_type": "code", "id": name, "execution_count": None, "outputs": [], "source": source}
    return {**code, "metadata": {"nbgrader": about}}


KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
JUDGES: dict[str, tuple[str, Open]] = {
    "DMOJ 4.1.0": ("dmoj==4.1.0", _dmoj),
    "Otter 7.0.0": ("otter-grader[grading]==7.0.0", _otter),
    "nbgrader 0.9.6": ("nbgrader==0.9.6", _nbgrader),
}


def _environment(environment: Path, folder: Path) -> dict[str, str]:
    """Return the environment of a command. It runs the environment's programs and writes to the home folder."""
    path = f"{environment / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "JAX_PLATFORMS": "cpu", "HOME": str(folder), "PATH": path}


def _must_accept(is_accepted: bool, output: str) -> None:
    if not is_accepted:
        raise NotMeasured(f"it did not accept the solution: {' '.join(output.split())[:300]}")


def _inputs(exercise: Exercise, cases: Sequence[Case]) -> list[list[tuple[str, str, Any]]]:
    """Return the name, kind and value of each argument, for each case."""
    parameters = exercise.package.manifest.case_inputs
    decoded: list[Any] = [decode(case.inputs) for case in cases]
    return [[(one.name, one.kind, _plain(inputs[one.name])) for one in parameters] for inputs in decoded]


def _answers(cases: Sequence[Case]) -> list[list[float]]:
    return [np.ravel(np.asarray(decode(case.expected))).tolist() for case in cases]


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _arguments(exercise: Exercise) -> str:
    """Return code that makes a case's arguments from the JSON of `_inputs`."""
    is_jax = "jax" in exercise.package.manifest.frameworks
    module, array = ("jax.numpy", "jax.numpy.asarray") if is_jax else ("numpy", "numpy.asarray")
    return ARGUMENTS.format(module=module, array=array)
