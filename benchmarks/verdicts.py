"""The time to a verdict, for every problem: Allclose with each kind of box, and the alternatives.

The alternatives are a fresh container or process for each submission, which imports the frameworks and compiles anew. A
second pass in a warm process does only the solution's own work, so it is the lower bound. None of these three checks
the answers; other judges do (`other_judges`).
"""

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

from app.settings import OPTIMIZATIONS, ROOT, Settings
from benchmarks import other_judges
from benchmarks.machine import Cost, Run, cost_of, cpu_seconds, say, saying, seconds_of
from benchmarks.results import Figure, key_of, reduce
from benchmarks.service import (
    NUMPY,
    SLUGS,
    Case,
    Exercise,
    Visitor,
    leave_one_out,
    list_kinds,
    serving,
)
from sandbox.environment import GUEST_IN_BOX, RUNTIME_IN_BOX

STANDALONE = Path(__file__).with_name("standalone.py")
FRESH_CONTAINER, FRESH_PROCESS, WARM_PROCESS = "fresh container", "fresh process", "warm process"
QUICK = ("microbatched_grads", "train_with_accumulation", NUMPY)
# The alternatives vary less and take longer, so they are measured this many times less often.
FEWER = 3


def measure(run: Run) -> tuple[list[Figure], list[str]]:
    """Return the figures, and a note for everything that could not be measured."""
    problems = run.folder / "problems"
    exercises = leave_one_out(QUICK if run.is_quick else (*SLUGS, NUMPY), problems)
    kinds, notes = list_kinds()
    figures: list[Figure] = []
    for kind in kinds:
        with serving(run, problems, kind, OPTIMIZATIONS) as service:
            visitor = Visitor(service)
            for exercise in exercises:
                figures += _judged(visitor, exercise, kind, run.repeat)
            cases = {exercise.slug: service.read_cases(exercise) for exercise in exercises}
    fewer = -(-run.repeat // FEWER)
    for exercise in exercises:
        figures += _alternatives(exercise, cases[exercise.slug], fewer, has_docker="docker" in kinds)
    others, left_out = other_judges.measure(exercises, cases, fewer)
    figures += [figure for way, slug, costs in others for figure in _figures(way, slug, costs)]
    return figures, [*notes, *left_out]


def _judged(visitor: Visitor, exercise: Exercise, kind: str, repeat: int) -> list[Figure]:
    """Measure submissions of a student who has the page open. The CPU time includes the preparation."""
    with saying(f"{exercise.slug}, {kind}: filling the library cache"):
        visitor.open(exercise)
    visitor.submit(exercise)
    visitor.open(exercise)
    costs = []
    for _ in range(repeat):
        cpu = cpu_seconds()
        wall = seconds_of(lambda: visitor.submit(exercise))
        visitor.open(exercise)
        costs.append(Cost(wall, cpu_seconds() - cpu))
    return _figures(f"Allclose, {kind}", exercise.slug, costs)


def _alternatives(exercise: Exercise, cases: Sequence[Case], repeat: int, *, has_docker: bool) -> list[Figure]:
    figures = []
    if has_docker:
        costs = [cost_of(lambda: run_container(exercise, cases)) for _ in range(repeat)]
        figures += _figures(FRESH_CONTAINER, exercise.slug, costs)
    figures += _figures(
        FRESH_PROCESS, exercise.slug, [cost_of(lambda: run_process(exercise, cases, 1)) for _ in range(repeat)]
    )
    return figures + _figures(WARM_PROCESS, exercise.slug, run_process(exercise, cases, 1 + repeat)[1:])


def _figures(way: str, slug: str, costs: Sequence[Cost]) -> list[Figure]:
    say(f"  {slug}, {way}: minimum {min(cost.wall_seconds for cost in costs):.2f} s of {len(costs)}")
    walls, cpus = [cost.wall_seconds for cost in costs], [cost.cpu_seconds for cost in costs]
    return [
        reduce(samples, what=what, series=way, at=slug, versus=key_of(what, FRESH_PROCESS, slug))
        for what, samples in (("verdict", walls), ("verdict CPU", cpus))
    ]


def run_process(exercise: Exercise, cases: Sequence[Case], passes: int) -> list[Cost]:
    """Run the solution in the Python of bubblewrap's boxes. Returns the cost of each pass."""
    runtime = Settings().runtime
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "JAX_PLATFORMS": "cpu"}
    return _run([str(runtime / "bin" / "python"), str(STANDALONE)], exercise, cases, passes, environment)


def run_container(exercise: Exercise, cases: Sequence[Case]) -> None:
    """Run the solution in a new container of the image of Docker's boxes."""
    docker = shutil.which("docker") or "docker"
    name = f"allclose-bench-{uuid4().hex[:8]}"
    options = ["--rm", "--interactive", "--network", "none", "--name", name]
    options += ["--volume", f"{STANDALONE}:/{STANDALONE.name}:ro"]
    options += ["--env", "JAX_PLATFORMS=cpu", "--env", f"PYTHONPATH={GUEST_IN_BOX.parents[1]}"]
    program = [str(RUNTIME_IN_BOX / "bin" / "python"), f"/{STANDALONE.name}"]
    try:
        _run([docker, "run", *options, Settings().image_cpu, *program], exercise, cases, 1)
    except BaseException:  # the container outlives the command that started it
        subprocess.run([docker, "rm", "--force", name], capture_output=True, check=False)
        raise


def _run(
    command: Sequence[str],
    exercise: Exercise,
    cases: Sequence[Case],
    passes: int,
    environment: dict[str, str] | None = None,
) -> list[Cost]:
    manifest = exercise.package.manifest
    job = {
        "source": exercise.source,
        "driver": exercise.package.runner,
        "entry_point": manifest.entry_point,
        "frameworks": manifest.frameworks,
        "parameters": [(parameter.name, parameter.kind) for parameter in manifest.case_inputs],
        "cases": [case.inputs.hex() for case in cases],
        "passes": passes,
    }
    done = subprocess.run(command, input=json.dumps(job), env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [Cost(*pass_) for pass_ in json.loads(done.stdout)]
