"""The part `capacity` of `make bench`: the cost of each step, and a real run that checks the simulation."""

from dataclasses import replace

from benchmarks.capacity.costs import MEASURED, read_costs, read_problems
from benchmarks.capacity.services import PROBLEMS_FOLDER, measure_services
from benchmarks.capacity.steps import measure_steps
from benchmarks.capacity.trial import measure_trial
from benchmarks.machine import Run
from benchmarks.results import Figure
from benchmarks.service import leave_one_out, list_kinds


def measure(run: Run) -> tuple[list[Figure], list[str]]:
    """Return the figures, and a note for each kind of box that this machine can't open."""
    own = replace(run, folder=run.folder / "capacity")
    [kind, *_], notes = list_kinds()
    listed = leave_one_out(list(MEASURED.values()), own.folder / PROBLEMS_FOLDER)
    exercises = dict(zip(MEASURED, listed, strict=True))
    figures = measure_steps(own.folder / "steps", is_quick=run.is_quick)
    figures += measure_services(own, kind, listed)
    figures += measure_trial(own, kind, read_problems(figures), read_costs(figures), exercises)
    return figures, notes
