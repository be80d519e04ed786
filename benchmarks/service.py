"""A real `allclose serve` to measure, with its own data folder and with problems that don't know the measured solution.

Known submissions and students' submissions fill the library cache. So each problem is published without the solution to
measure, and learns from no student. It has one variant, since more would only take longer to prepare.
"""

import re
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import httpx
from sqlalchemy import select

from app.catalog.model import ExpectedOutput, Revision
from app.catalog.package import Package, load_package
from app.catalog.publish import find_current
from app.cli.deployment import open_database
from app.engine.boxes import open_launcher
from app.settings import OPTIMIZATIONS, ROOT, read_settings
from app.worker.warm import COMPILED
from benchmarks.machine import Run, saying, wait_until_idle
from sandbox.interface import BoxSpec, SandboxUnavailable
from tests.serving import ONE_PROBLEM, RIGHT, SLUG, Served, Student, serve

PROBLEMS = ROOT / "problems"
# The problems to measure. Together they use every framework, requirements, sealed cases and drivers.
SLUGS = (
    "grad_accumulation_step",
    "grad_accumulation_step_nnx",
    "microbatched_grads",
    "multisteps_fit",
    "multisteps_schedule",
    "train_with_accumulation",
    "train_with_accumulation_amp",
)
NUMPY = SLUG
KINDS = ("bubblewrap", "docker")
# Lets one user send many submissions.
POLICY = {
    "max_pending": 10_000,
    "judging_seconds_per_hour": 1_000_000,
    "requests_per_minute": 1_000_000,
    "submissions_per_hour": 1_000_000,
    "max_queue_minutes": 10_000,
    "submitted_mib_per_hour": 1_000_000,
}
PREPARED = "problems are prepared"
PREPARING_SECONDS = 1800
PASSWORD = "correct horse battery"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exercise:
    """A problem, and a correct solution that is in none of its caches."""

    slug: str
    package: Package
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A case. `inputs` and `expected` are encoded values."""

    name: str
    inputs: bytes
    expected: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A running server that judges with these optimizations."""

    server: Served
    optimizations: Sequence[str]
    patience_seconds: float

    def get_ready(self, exercise: Exercise) -> None:
        """Wait until the work that opening the problem started is done, and the machine is idle."""
        if "library_cache" in self.optimizations:
            self._wait_for(COMPILED % exercise.slug)
        wait_until_idle(self.patience_seconds)

    def wait_until_prepared(self) -> None:
        self._wait_for(PREPARED)

    def _wait_for(self, line: str) -> None:
        """Wait until the worker logs this line."""
        until = time.monotonic() + PREPARING_SECONDS
        while line not in self.server.text:
            assert time.monotonic() < until, f"the worker did not log {line!r}:\n{self.server.text[-3000:]}"
            time.sleep(0.2)

    def read_cases(self, exercise: Exercise) -> list[Case]:
        """Read the prepared inputs and expected outputs from the database."""
        with open_database(read_settings(data=self.server.data)) as database, database.transaction() as session:
            revision = find_current(session, exercise.slug)
            assert isinstance(revision, Revision)
            rows = session.scalars(select(ExpectedOutput).where(ExpectedOutput.revision_id == revision.id))
            found = {row.case_name: Case(name=row.case_name, inputs=row.inputs, expected=row.expected) for row in rows}
        return [found[case.name] for case in exercise.package.manifest.cases]


class Visitor:
    """A student with an API token and a browser session."""

    def __init__(self, service: Service) -> None:
        self._service = service
        name = f"student-{uuid4().hex[:8]}"
        self.student: Student = service.server.sign_up(name)
        self.browser = httpx.Client(base_url=service.server.url, timeout=90)
        signed_in = self.browser.post("/sign-in", data={"username": name, "password": PASSWORD})
        assert signed_in.is_redirect, signed_in.text

    def open(self, exercise: Exercise) -> None:
        """Open the problem's page, and wait until the worker has prepared for a submission."""
        self.browser.get(f"/problems/{exercise.slug}").raise_for_status()
        self._service.get_ready(exercise)

    def send(self, exercise: Exercise) -> str:
        return self.student.send(exercise.slug, exercise.source)

    def submit(self, exercise: Exercise) -> None:
        self.wait(self.send(exercise))

    def wait(self, submission: str) -> None:
        """Wait until the submission is judged. It must be accepted."""
        view = self.student.result(submission)
        assert view["verdict"] == "accepted", f"a correct solution got {view['verdict']}: {view}"


def leave_one_out(slugs: Sequence[str], folder: Path) -> list[Exercise]:
    """Copy the problems to `folder`, each without its last accepted submission, which is measured."""
    exercises = []
    for slug in slugs:
        target = folder / slug
        shutil.copytree((ONE_PROBLEM if slug == NUMPY else PROBLEMS) / slug, target)
        manifest = target / "problem.yaml"
        manifest.write_text(re.sub(r"(?m)^variants:.*\n", "", manifest.read_text()) + "\nvariants: 1\n")
        exercises.append(_exercise(slug, target))
    return exercises


def _exercise(slug: str, folder: Path) -> Exercise:
    if slug == NUMPY:  # the tests' solution is not one of its known submissions
        return Exercise(slug=slug, package=load_package(folder), source=RIGHT)
    left_out = max((folder / "submissions" / "accepted").glob("*.py"))
    source = left_out.read_text()
    left_out.unlink()
    return Exercise(slug=slug, package=load_package(folder), source=source)


def list_kinds() -> tuple[list[str], list[str]]:
    """Return the kinds of boxes that this machine can open, at least one, and a note for each other kind."""
    found, notes = [], []
    for kind in KINDS:
        try:
            open_launcher(read_settings(sandbox=kind), cache=None).launch(BoxSpec(())).close()
        except SandboxUnavailable as error:
            notes.append(f"{kind}: not measured: {error}")
        else:
            found.append(kind)
    if not found:
        raise SystemExit("\n".join(notes))
    return found, notes


@contextmanager
def serving(run: Run, problems: Path, kind: str, optimizations: Sequence[str] = OPTIMIZATIONS) -> Iterator[Service]:
    """Start a server and wait until its problems are prepared. The run's next server reuses the data."""
    data = run.folder / "data"
    policy = None if data.exists() else POLICY
    settings = {
        "ALLCLOSE_PROBLEMS": str(problems),
        "ALLCLOSE_SANDBOX": kind,
        "ALLCLOSE_OPTIMIZATIONS": ",".join(optimizations),
    }
    with serve(data, settings, policy=policy) as server:
        service = Service(server=server, optimizations=optimizations, patience_seconds=run.patience_seconds)
        with saying(f"preparing the problems of {problems.name}, {kind}"):
            service.wait_until_prepared()
        yield service
