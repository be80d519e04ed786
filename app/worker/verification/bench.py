"""Where a verification runs: pools of its own, so that it takes no box from judgings."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from app.settings import Settings
from app.worker.boxes import open_pool, open_reference_pool
from sandbox.interface import Launcher
from sandbox.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """The pools: for submissions, for the package's own code, and for programs that are inspected."""

    students: Pool
    references: Pool
    inspectors: Pool | None = None


@contextmanager
def open_bench(settings: Settings, launcher: Launcher) -> Iterator[Bench]:
    """Boxes start from the thread that asks for them."""
    with open_pool(settings, launcher) as students, open_reference_pool(settings, launcher) as references:
        yield Bench(students=students, references=references)
