"""Judging on this machine, for `allclose judge`: what the worker does, without its queue."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from app.catalog.package import Package
from app.catalog.revision import digest
from app.cli.console import errors
from app.cli.gpu import use_gpus
from app.settings import Settings, read_settings
from app.worker.boxes import find_cache, open_inspector_pool, open_launcher, open_pool, open_reference_pool
from app.worker.inspection import INSPECTOR
from app.worker.prepare import Draw, PreparedCase, prepare
from app.worker.request import box_spec
from sandbox.interface import Launcher
from sandbox.pool import Pool

if TYPE_CHECKING:
    from app.submissions.view import SubmissionView
    from app.worker.lease import Finish


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """`inputs`: YAML, to be judged on in place of the package's cases."""

    package: Package
    source: str
    secret_seed: bytes
    sample_only: bool
    inputs: str | None = None


def judge_locally(order: Order) -> "SubmissionView":
    """Raises SandboxUnavailable, BoxLost, ReferenceFailed."""
    with _progress() as progress:
        return _judge(order, progress)


def _judge(order: Order, progress: Progress) -> "SubmissionView":
    """The reference runs first, in a box that has held nothing else yet; the solution follows in the same box."""
    abort = threading.Event()
    task = progress.add_task("opening a box", total=None)
    settings = read_settings()
    with (
        _open_launcher(settings, needs_gpu=order.package.manifest.limits.gpu) as launcher,
        open_pool(settings, launcher) as pool,
        open_reference_pool(settings, launcher) as references,
        open_inspector_pool(settings, launcher) as inspectors,
    ):
        pool.warm(box_spec(order.package.manifest))
        if order.package.manifest.is_traced:
            inspectors.warm(INSPECTOR)
        # These take as long to import as the box to start.
        from app.cli.local_hint import look_for_hint
        from app.worker.judge import Job, judge
        from app.worker.order import in_order
        from app.worker.recognise import Notes, question_about

        progress.update(task, description="running the reference solution")
        cases = _prepare(order, pool, abort)
        progress.update(task, description="judging", total=len(cases), completed=0)
        submission_id, notes = uuid4(), Notes()
        job = Job(
            package=order.package,
            source=order.source,
            cases=in_order(cases, submission_id),
            references=references,
            inspectors=inspectors,
            on_outcome=notes.take,
        )
        judged = judge(job, pool, lambda _: progress.advance(task), abort)
        question = question_about(order.package, judged, notes)
        progress.update(task, description="looking for a known mistake", total=None)
        hint = look_for_hint(question, cases, references, abort) if question else None
    return _view(order, submission_id, replace(judged, hint=hint))


def _prepare(order: Order, pool: Pool, abort: threading.Event) -> Sequence[PreparedCase]:
    if order.inputs is not None:
        from app.worker.own_inputs import OwnInputs

        return [OwnInputs(pool).prepare(order.package, order.inputs, abort)]
    prepared = prepare(order.package, Draw(order.secret_seed, 0), pool, abort)
    return [case for case in prepared.cases if case.visibility == "sample" or not order.sample_only]


def _view(order: Order, submission_id: UUID, judged: "Finish") -> "SubmissionView":
    from app.submissions.view import SubmissionView, view_case

    manifest = order.package.manifest
    return SubmissionView(
        id=submission_id,
        problem=order.package.slug,
        title=manifest.title,
        revision=None,
        digest=digest(order.package.files),
        mode="sample" if order.sample_only or order.inputs is not None else "submit",
        inputs=order.inputs,
        parameters=tuple(parameter.name for parameter in manifest.case_inputs),
        case_names=tuple(result.name for result in judged.cases),
        created_at=datetime.now(UTC),
        state="done",
        verdict=judged.verdict,
        score=judged.score,
        cases=tuple(view_case(result) for result in judged.cases),
        hint=judged.hint,
    )


@contextmanager
def _open_launcher(settings: Settings, *, needs_gpu: bool) -> Iterator[Launcher]:
    """Raises SandboxUnavailable."""
    if not needs_gpu:
        yield open_launcher(settings, cache=find_cache(settings))
        return
    with use_gpus("all") as gpus:
        yield open_launcher(settings, cache=None, gpus=gpus)


def _progress() -> Progress:
    """On standard error, gone at the end, and nothing at all when that is no terminal."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal)
