"""`allclose problem import`: convert a notebook into a package, and list what is left for its author to do.

The imported solution runs in a box, and its answers are compared with the answers that the notebook holds.
"""

from collections.abc import Mapping
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.text import Text

from app.catalog.package import Package
from app.cli.console import output
from app.cli.problem.new import FolderTaken, shown_path, write_files
from app.settings import Settings, read_settings

if TYPE_CHECKING:
    from app.catalog.importing.observation import ObservedCall, Probe
    from app.catalog.importing.package_writer import ImportedPackage


# The answers in a notebook are rounded.
RTOL, ATOL = 1e-4, 1e-6
# What a call of the solution may take while its types are looked at.
OBSERVED_SECONDS, OBSERVED_MEMORY = 30, 4 * 2**30


def import_package(
    notebook: Annotated[Path, typer.Argument(help="The notebook (.ipynb) to import.", exists=True)],
    to: Annotated[
        Path | None,
        typer.Option(help="The new package's folder. Default: a folder of the notebook's name in the problems folder."),
    ] = None,
) -> None:
    """Convert a notebook into a package, also one of nbgrader or Otter. Its code runs only in a box.

    Its cells assert what a function returns. Lists what was left out and what you must still do; problem.yaml starts
    with the same list. Exit code 1 if the imported solution does not return the notebook's answers.
    """
    from app.catalog.importing.notebook import read_notebook

    settings = read_settings()
    imported = read_notebook(notebook, lambda probe: observe(probe, settings))
    target = to or settings.problems / imported.slug
    if target.exists() or target.is_symlink():
        raise FolderTaken(f"{target} exists already: choose another folder with --to")
    package = _load(imported, target)
    write_files(target, imported.files)
    output.print(f"Wrote [bold]{shown_path(target)}[/] from {notebook}.", highlight=False, soft_wrap=True)
    _print_list("Left out, because a package has nothing like it:", imported.left_out)
    disagreements = _compare(package, imported, settings)
    _print_list("The imported solution and the notebook's answers differ:", disagreements)
    _print_list("To do before `allclose problem verify` can pass:", imported.todo)
    raise typer.Exit(bool(disagreements))


def _load(imported: "ImportedPackage", target: Path) -> Package:
    """Check the package under its folder's name, before any file is written. Raises PackageInvalid."""
    from app.catalog.package import package_from_files

    files = {path: text.encode() for path, text in imported.files.items()}
    return package_from_files(target.resolve().name, files)


def _compare(package: Package, imported: "ImportedPackage", settings: Settings) -> list[str]:
    """Run the solution in a box and compare. If this machine can't open a box, print that and compare nothing."""
    from app.errors import JudgeFailed
    from sandbox.interface import SandboxError

    if not imported.answers:
        output.print("The notebook has no answers to compare with.")
        return []
    try:
        found = find_disagreements(package, imported.answers, settings)
    except JudgeFailed as error:
        return [str(error)]
    except SandboxError as error:
        output.print(f"The answers were not compared: {error}", markup=False, highlight=False, soft_wrap=True)
        return []
    if not found:
        output.print(f"The imported solution returns all {len(imported.answers)} answers of the notebook.")
    return found


def _print_list(heading: str, lines: "tuple[str, ...] | list[str]") -> None:
    if lines:
        output.print(f"\n{heading}", markup=False, highlight=False)
    for line in lines:
        output.print(Text(f"  - {line}"), soft_wrap=True)


def observe(probe: "Probe", settings: Settings) -> "Mapping[str, ObservedCall]":
    """Call the solution in a box, and describe what it got and returned. Raises SandboxError."""
    from app.catalog.importing.observation import DRIVER, failed, read_observed_call
    from app.engine.boxes import find_cache, open_launcher, open_reference_pool
    from app.engine.request import run_cases
    from sandbox.guest.codec import decode, encode
    from sandbox.interface import BoxSpec, CaseInput, CaseOutcome, Parameter, Request, RunLimits

    given = {name: encode({"code": code, "maker": maker}) for name, (code, maker) in probe.makers.items()}
    request = Request(
        source=probe.source,
        entry_point=probe.entry_point,
        driver=DRIVER,
        parameters=(Parameter("code", "value"), Parameter("maker", "value")),
        cases=tuple(CaseInput(name, inputs) for name, inputs in given.items()),
        limits=RunLimits(wall_seconds=OBSERVED_SECONDS, memory_bytes=OBSERVED_MEMORY, load_seconds=OBSERVED_SECONDS),
    )
    outcomes: list[CaseOutcome] = []
    with open_reference_pool(settings, open_launcher(settings, cache=find_cache(settings))) as pool:
        run_cases(pool, BoxSpec(tuple(sorted(probe.frameworks))), request, outcomes.append, Event())
    seen = dict.fromkeys(probe.makers, failed("it was not called, because earlier calls ended the process"))
    for each in outcomes:
        reason = f"{each.failure.kind}: {each.failure.message}" if each.failure else str(each.ending)
        seen[each.name] = failed(reason) if each.answer is None else read_observed_call(decode(each.answer))
    return seen


def find_disagreements(package: Package, answers: Mapping[str, Any], settings: Settings) -> list[str]:
    """Return a sentence for each case whose answers differ. Raises ReferenceFailed, BoxLost, SandboxUnavailable."""
    from app.engine.boxes import find_cache, open_launcher, open_reference_pool
    from app.engine.prepare import Draw, prepare
    from sandbox.guest.codec import decode

    launcher = open_launcher(settings, cache=find_cache(settings))
    with open_reference_pool(settings, launcher) as pool:
        prepared = prepare(package, Draw(b"import", 0), pool, Event())
    computed = {case.name: decode(case.expected) for case in prepared.cases}
    return [
        f"{name}: the solution returns {_short(computed[name])}, the notebook has {_short(answer)}"
        for name, answer in answers.items()
        if not agrees(computed[name], answer)
    ]


def agrees(computed: Any, answer: Any) -> bool:
    """Compare with a notebook's answer: arrays and tuples may be lists there, and numbers are rounded."""
    computed = computed.tolist() if isinstance(computed, np.ndarray | np.generic) else computed
    if isinstance(answer, dict) and isinstance(computed, dict):
        return set(computed) == set(answer) and all(agrees(computed[key], answer[key]) for key in answer)
    if isinstance(answer, list | tuple) and isinstance(computed, list | tuple):
        return len(computed) == len(answer) and all(map(agrees, computed, answer))
    if isinstance(answer, bool) or isinstance(computed, bool):
        return computed is answer
    if isinstance(answer, int | float) and isinstance(computed, int | float):
        return bool(np.isclose(computed, answer, rtol=RTOL, atol=ATOL, equal_nan=True))
    return bool(computed == answer)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
