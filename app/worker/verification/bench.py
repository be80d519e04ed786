"""Where a verification runs: pools of its own, so that it takes no box from judgings."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event

from app.catalog.package import Package
from app.settings import Settings
from app.worker.boxes import box_spec, open_inspector_pool, open_launcher, open_pool, open_reference_pool
from app.worker.request import build_request, patient
from sandbox.cache import fill_cache
from sandbox.gpu.lease import Gpus
from sandbox.interface import CaseInput, Launcher
from sandbox.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """The pools: for submissions, for the package's own code, and for programs that are inspected."""

    launcher: Launcher
    students: Pool
    references: Pool
    inspectors: Pool

    def compile(self, package: Package, given: Sequence[CaseInput], abort: Event) -> None:
        """Lets what follows use what the reference compiles, as it is after publishing. Raises SandboxError."""
        request = patient(build_request(package, package.reference, given))
        fill_cache(self.launcher, box_spec(package.manifest), request, abort)


@contextmanager
def open_bench(settings: Settings, launcher: Launcher) -> Iterator[Bench]:
    """Boxes start from the thread that asks for them."""
    with (
        open_pool(settings, launcher) as students,
        open_reference_pool(settings, launcher) as references,
        open_inspector_pool(settings, launcher) as inspectors,
    ):
        yield Bench(launcher=launcher, students=students, references=references, inspectors=inspectors)


@contextmanager
def private_launcher(settings: Settings, gpus: Gpus | None = None) -> Iterator[Launcher]:
    """With a compilation cache of its own: what an unpublished package compiles is nobody else's."""
    with TemporaryDirectory(prefix="allclose-verify-") as folder:
        Path(folder).chmod(0o755)  # started by root, a box is another user
        yield open_launcher(settings, cache=None if gpus else Path(folder), gpus=gpus)
