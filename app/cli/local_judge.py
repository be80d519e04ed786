"""Judging on this machine, for `allclose judge`: the worker's steps without its queue.

The first box starts in the background; this process meanwhile imports the modules that it needs later. Two caches in
the user's cache folder make later calls faster: the reference's answers (`case_cache`) and, from the second call on,
what JAX's libraries compile for the reference (`app.engine.compilation_cache`).
"""

import os
import secrets
import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from app.catalog.manifest import Manifest
from app.catalog.package import Package
from app.engine.boxes import (
    CACHE_FOLDER,
    INSPECTOR,
    Pools,
    box_spec,
    describe_boxes,
    find_cache,
    open_launcher,
    open_pools,
    open_reference_pool,
)
from app.engine.hints import LEAST_CASES
from app.settings import Settings, read_settings
from sandbox.bubblewrap import BubblewrapLauncher
from sandbox.interface import Launcher, SandboxError
from sandbox.pool import Pool

if TYPE_CHECKING:
    from rich.progress import Progress

    from app.cli.case_cache import CaseCache
    from app.engine.hints import Question
    from app.engine.job import Job, Outcomes
    from app.engine.prepare import PreparedCase
    from app.judging.verdicts import Finish
    from app.submissions.view import SubmissionView


# The folder of compiled library code in the cache folder. A worker has it in its data folder.
LIBRARY = "library"
# Entries of packages that are gone can't be told apart, so a larger folder is emptied.
MAX_LIBRARY_BYTES = 512 * 2**20
BUSY = "The solution is slow, but the machine is busy: waiting up to a minute, then running once more."


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One call of `allclose judge`.

    `seed`: the hidden cases are drawn from it; None for a random one. `inputs`: YAML that replaces the cases.
    """

    package: Package
    source: str
    seed: str | None
    sample_only: bool
    inputs: str | None = None
    as_json: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Boxes:
    launcher: Launcher
    pools: Pools
    references: Pool


def judge_locally(order: Order) -> int:
    """Judge the solution, print the result and return the exit code. Fills the caches last.

    Raises SandboxUnavailable, BoxLost, ReferenceFailed.
    """
    if order.package.manifest.limits.interpreter:
        from app.cli.gpu import as_judged_here

        order = replace(order, package=as_judged_here(order.package))
    settings = read_settings()
    with (
        _open_launcher(settings, order.package.manifest) as launcher,
        open_pools(settings, launcher) as pools,
        open_reference_pool(settings, launcher) as references,
    ):
        pools.students.warm(box_spec(order.package.manifest))
        boxes = _Boxes(launcher=launcher, pools=pools, references=references)
        return _judge_in(boxes, order, settings)


def _judge_in(boxes: _Boxes, order: Order, settings: Settings) -> int:
    """Import what is needed later, while the first box starts, then judge."""
    from app.cli.console import errors, print_json
    from app.cli.result_text import exit_code, print_submission
    from app.engine.hints import question_about
    from app.engine.job import Outcomes
    from app.engine.judge import judge

    abort, manifest = threading.Event(), order.package.manifest
    described = describe_boxes(settings, boxes.launcher, gpu=manifest.limits.gpu)
    errors.print(described, highlight=False, soft_wrap=True, markup=False)
    if manifest.is_traced:
        boxes.pools.inspectors.warm(INSPECTOR)  # not before: it would take a core from the imports and the first box
    cache = _open_cache(order, settings, boxes.launcher)
    with _progress() as progress:
        task = progress.add_task("running the reference solution", total=None)
        found = cache.find() if cache else None
        prepared = found or _prepare(order, boxes.pools.students, abort)
        if cache and not found:
            cache.store(prepared)
        cases = [case for case in prepared if case.visibility == "sample" or not order.sample_only]
        progress.update(task, description="judging", total=len(cases), completed=0)
        submission_id, outcomes = uuid4(), Outcomes()
        job = _job(order, boxes, cases, submission_id, outcomes, settings)
        judged = judge(job, boxes.pools.students, lambda _: progress.advance(task), abort)
        question = question_about(order.package, judged, outcomes)
        progress.update(task, description="checking for known mistakes", total=None)
        hint = _find_hint(question, cases, boxes.references, abort) if question else None
    submission = _view(order, submission_id, replace(judged, hint=hint))
    (print_json if order.as_json else print_submission)(submission)
    if found:
        _fill_library(order.package, found, boxes, abort)
    return exit_code(submission)


def _job(
    order: Order,
    boxes: _Boxes,
    cases: "Sequence[PreparedCase]",
    submission_id: UUID,
    outcomes: "Outcomes",
    settings: Settings,
) -> "Job":
    from app.engine.job import Job
    from app.engine.prepare import in_order

    return Job(
        package=order.package,
        source=order.source,
        cases=in_order(cases, submission_id),
        references=boxes.references,
        inspectors=boxes.pools.inspectors,
        on_outcome=outcomes.add,
        wait_until_quieter=_wait_until_quieter if order.package.manifest.efficiency else None,
        runs_in_parallel="parallel_runs" in settings.chosen_optimizations,
    )


def _wait_until_quieter(abort: threading.Event) -> None:
    from app.cli.console import errors
    from app.engine.overload import LONGEST_WAIT_SECONDS, wait_until_quieter

    errors.print(BUSY, highlight=False)
    wait_until_quieter(LONGEST_WAIT_SECONDS, abort)


def _prepare(order: Order, pool: Pool, abort: threading.Event) -> "tuple[PreparedCase, ...]":
    """Run the reference in a fresh box. The solution runs in the same box afterwards."""
    from app.engine.prepare import Draw, prepare, prepare_custom_inputs

    if order.inputs is not None:
        return (prepare_custom_inputs(order.package, order.inputs, pool, abort),)
    secret = order.seed.encode() if order.seed else secrets.token_bytes(32)
    return prepare(order.package, Draw(secret, 0), pool, abort).cases


def _find_hint(question: "Question", cases: "Sequence[PreparedCase]", pool: Pool, abort: threading.Event) -> str | None:
    """Run all known mistakes on two wrong cases, and only the possible ones on the rest."""
    from app.engine.hints import find_alike, find_hint, list_mistakes, mistake_outputs

    package = question.package
    mistakes = list_mistakes(package)
    wrong = [case for case in cases if case.name in question.wrong][:LEAST_CASES]
    possible = set(find_alike(question, mistake_outputs(package, mistakes, wrong, pool, abort)))
    left = [mistake for mistake in mistakes if mistake.name in possible]
    return find_hint(question, mistake_outputs(package, left, cases, pool, abort)) if left else None


def _open_cache(order: Order, settings: Settings, launcher: Launcher) -> "CaseCache | None":
    """Open the cache of the reference's answers. None if these cases are not cached, or there is no cache folder."""
    from app.cli.case_cache import CaseCache, key_of
    from sandbox.library_cache import CachingLauncher

    folder = _find_folder()
    if folder is None or order.inputs is not None or order.package.manifest.limits.gpu:
        return None
    if not isinstance(launcher, CachingLauncher):
        return None
    return CaseCache(folder / "cases", key_of(order.package, order.seed, launcher, settings.chosen_optimizations))


def _fill_library(package: Package, cases: "Sequence[PreparedCase]", boxes: _Boxes, abort: threading.Event) -> None:
    """Cache what JAX's libraries compile for the reference, once for each package.

    Only this user's own folder is filled, because students' boxes read a worker's. A failure or Ctrl-C only makes
    later calls slower.
    """
    from app.engine.compilation_cache import CompilationCache

    folder = _find_folder()
    cache = boxes.launcher.cache if isinstance(boxes.launcher, BubblewrapLauncher) else None
    if folder is None or cache != folder / LIBRARY / CACHE_FOLDER:
        return
    library = CompilationCache(folder / LIBRARY, boxes.launcher, boxes.references)
    if library.has_filled(package):
        return
    with suppress(SandboxError, OSError, KeyboardInterrupt), _progress() as progress:
        progress.add_task("caching compiled code for the next calls", total=None)
        library.fill(package, cases, abort)


def _view(order: Order, submission_id: UUID, judged: "Finish") -> "SubmissionView":
    from app.catalog.folder import digest
    from app.submissions.view import SubmissionView, view_case, view_parts

    manifest = order.package.manifest
    case_names = tuple(result.name for result in judged.cases)
    cases = tuple(view_case(result) for result in judged.cases)
    return SubmissionView(
        id=submission_id,
        problem=order.package.slug,
        title=manifest.title,
        revision=None,
        digest=digest(order.package.files),
        mode="sample" if order.sample_only or order.inputs is not None else "submit",
        inputs=order.inputs,
        parameters=tuple(parameter.name for parameter in manifest.case_inputs),
        case_names=case_names,
        created_at=datetime.now(UTC),
        state="done",
        verdict=judged.verdict,
        score=judged.score,
        parts=view_parts(manifest.model_dump(mode="json"), case_names, cases, has_score=True),
        cases=cases,
        times=judged.times,
        hint=judged.hint,
        is_interpreted=manifest.limits.interpreter and manifest.is_interpreted,
    )


@contextmanager
def _open_launcher(settings: Settings, manifest: Manifest) -> Iterator[Launcher]:
    """Raises SandboxUnavailable."""
    if not manifest.limits.gpu:
        launcher = open_launcher(settings, cache=find_cache(settings))
        # A Docker Engine may run on another machine, which does not have this user's folder.
        if isinstance(launcher, BubblewrapLauncher) and launcher.cache is None and _uses_library(settings, manifest):
            launcher = replace(launcher, cache=_make_library_folder())
        yield launcher
        return
    from app.cli.gpu import use_gpus

    with use_gpus("all") as gpus:
        yield open_launcher(settings, cache=None, gpus=gpus)


def _uses_library(settings: Settings, manifest: Manifest) -> bool:
    return "library_cache" in settings.chosen_optimizations and "jax" in manifest.frameworks


def _find_folder() -> Path | None:
    """Return this user's cache folder, or None if the user has no home folder."""
    chosen, home = os.environ.get("XDG_CACHE_HOME", ""), os.environ.get("HOME", "")
    if Path(chosen).is_absolute():
        return Path(chosen) / "allclose"
    return Path(home) / ".cache" / "allclose" if home and Path(home).is_dir() else None


def _make_library_folder() -> Path | None:
    """Create the folder of compiled code, readable for the boxes' user. Empties one that is too large."""
    if (folder := _find_folder()) is None:
        return None
    library = folder / LIBRARY
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        compiled = library / CACHE_FOLDER
        if compiled.is_dir() and sum(path.stat().st_size for path in compiled.iterdir()) > MAX_LIBRARY_BYTES:
            shutil.rmtree(library)
        compiled.mkdir(parents=True, exist_ok=True)
        compiled.chmod(0o755)
        return compiled
    return None


def _progress() -> "Progress":
    """Show progress on standard error and clear it at the end. Shows nothing if that is not a terminal."""
    from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from app.cli.console import errors

    columns = (SpinnerColumn(), TextColumn("{task.description}"), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal)
