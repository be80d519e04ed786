"""Ask a box: build a request from a package and a source, run all of its cases, and read the outcomes.

Where a requirement is on calls, the process watches the calls of library functions while the solution runs. `recorded`
asks for it, and `read_outcome` reads what was seen.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import ValidationError

from app.catalog.answers.kind import inputs_of
from app.catalog.answers.random_samples import RandomSamples
from app.catalog.answers.text_or_file import Text
from app.catalog.folder import FILE_OF_KEY, MANIFEST_FILE
from app.catalog.manifest import Manifest
from app.catalog.package import Package
from app.errors import JudgeFailed
from app.judging.comparison import Rules
from app.judging.random_samples import RandomRules
from app.judging.requirement import KERNELS, Facts, Kernels
from app.judging.requirements.forbids_calls import ForbidsCalls
from app.judging.requirements.forbids_syntax import ForbidsSyntax, without_main_guards
from app.judging.requirements.kernel import Kernel
from app.judging.tolerance_comparison import Tolerance
from sandbox.guest.codec import STANDARD_CAPS, Malformed, Tree, decode, encode
from sandbox.guest.wire import NOTE
from sandbox.interface import Box, BoxLost, BoxSpec, CaseInput, CaseOutcome, OnCase, Parameter, Request, RunLimits
from sandbox.pool import Pool

if TYPE_CHECKING:
    from app.catalog.model import Device


MEBIBYTE = 2**20
# The reference may run on a busy machine, and speed is not its exercise.
PATIENCE = 4
PATIENT_LOAD_SECONDS = 60
# The largest answer that can be decoded.
MOST_ANSWER_BYTES = STANDARD_CAPS.total_bytes
# Large enough that a wrong shape is usually reported as such, and not as too large.
LEAST_ANSWER_BYTES = 4 * MEBIBYTE
# A correct answer may have wider elements than the expected one: float64 for int8.
WIDER = 8
# Each process loads the source again and may run into the time limit while other students wait.
PROCESSES = 3
RECORDING_DRIVER = "from sandbox.guest.record import recording\nrun = recording({!r}, {!r}, {!r})\n"
RECORDING_KEYS = {"answer", "calls", "kernels", "is_kept"}
UNREADABLE = "a write into the judge's record"


def device_of(manifest: Manifest) -> "Device":
    return "gpu" if manifest.limits.gpu else "cpu"


def build_request(
    package: Package, source: str, cases: Sequence[CaseInput], answer_bytes: int = MOST_ANSWER_BYTES
) -> Request:
    """`answer_bytes`: the limit of an answer to a case."""
    manifest = package.manifest
    return Request(
        source=_source_to_run(manifest, source),
        entry_point=manifest.entry_point,
        driver=package.runner,
        parameters=tuple(Parameter(name=p.name, kind=p.kind) for p in manifest.case_inputs),
        cases=tuple(cases),
        limits=replace(limits_of(manifest), answer_bytes=answer_bytes),
        guarded=tuple(p.name for p in manifest.case_inputs if p.name not in manifest.changeable),
        signature=tuple(parameter.name for parameter in manifest.parameters),
        definitions=tuple(manifest.definitions.items()),
    )


def _source_to_run(manifest: Manifest, source: str) -> str:
    """What does not count for `forbids_syntax` must not run."""
    is_read = any(isinstance(requirement, ForbidsSyntax) for requirement in manifest.requirements)
    return without_main_guards(source) if is_read else source


def limits_of(manifest: Manifest) -> RunLimits:
    return RunLimits(
        wall_seconds=manifest.limits.wall_seconds,
        memory_bytes=manifest.limits.memory_mib * MEBIBYTE,
    )


def answer_bytes(expected: Sequence[bytes]) -> int:
    """Return the limit for submissions, rounded up to a power of two.

    A program can read its limits, and this one also depends on hidden cases.
    """
    wanted = max(LEAST_ANSWER_BYTES, WIDER * max(map(len, expected), default=0))
    return min(1 << (wanted - 1).bit_length(), MOST_ANSWER_BYTES)


def patient(request: Request) -> Request:
    """Return the request with longer limits, for the package's own code."""
    limits = request.limits
    wall_seconds = PATIENCE * limits.wall_seconds
    return replace(request, limits=replace(limits, wall_seconds=wall_seconds, load_seconds=PATIENT_LOAD_SECONDS))


def patient_at_first(request: Request) -> Request:
    """Return the request with a longer load limit, for the package's own code on a student's inputs."""
    return replace(request, limits=replace(request.limits, load_seconds=PATIENT_LOAD_SECONDS))


class PackageFailed(JudgeFailed):
    """A part of the package failed, and its author must change it. The student is not charged.

    `reason` and `remedy` make up the text. `part` is a key such as `reference`, empty for `problem.yaml`. `outcome` is
    the sandbox's answer if the part ran; it implies the remedy.
    """

    def __init__(self, reason: str, *, remedy: str = "", part: str = "", outcome: CaseOutcome | None = None) -> None:
        super().__init__(f"{reason}; {remedy}" if remedy else reason)
        self.reason, self.remedy, self.part, self.outcome = reason, remedy, part, outcome


def place_of(package: Package, key: str) -> str:
    """Return where the author finds this part. `key`: its name in problem.yaml."""
    file = FILE_OF_KEY[key]
    return f"{package.slug}/{file}" if file in package.files else f"{package.slug}/{MANIFEST_FILE}, {key}"


def reason_of(outcome: CaseOutcome) -> str:
    failure = outcome.failure
    return f"{failure.kind}: {failure.message}\n{failure.traceback}" if failure else str(outcome.ending)


def numbers_of(manifest: Manifest, inputs: bytes) -> Mapping[str, int]:
    """Return the case's integers by name, for requirements: its scalars and its symbolic sizes.

    `inputs`: encoded. A fraction is rounded down.
    """
    given: Any = decode(inputs)
    numbers: dict[str, int] = {}
    for parameter in inputs_of(manifest.case_inputs, given):
        value = given[parameter.name]
        if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
            numbers[parameter.name] = int(value // 1)
        elif isinstance(value, np.ndarray) and parameter.is_array:
            sizes = parameter.sizes(value.shape) or ()
            numbers |= {size: length for size, length in sizes if isinstance(size, str)}
    return numbers


def rules_of(manifest: Manifest) -> Rules:
    """Among the words of a text, 2 and 2.0 are the same number, and a tolerance is for whole numbers, too."""
    given, answer = manifest.tolerance, manifest.answer
    tolerance = Tolerance(rtol=given.rtol, atol=given.atol) if given else None
    leaves = {path: leaf.tolerance for path, leaf in given.leaves.items()} if given else {}
    is_words = isinstance(answer, Text) and answer.split == "words"
    return Rules(
        tolerance=tolerance,
        leaves={"*": tolerance, **leaves} if is_words and tolerance else leaves,
        checkers=manifest.checkers,
        dtype_policy="any" if is_words else manifest.dtype_policy,
        accept_lists=manifest.accept_lists,
        optional=frozenset(manifest.returns.optional),
        random=RandomRules(statistics=answer.statistics) if isinstance(answer, RandomSamples) else None,
    )


# Of a process that saw nothing.
NO_CALLS = Facts(numbers={})


def is_recorded(manifest: Manifest) -> bool:
    return any(requirement.is_watched for requirement in manifest.requirements)


def recorded(manifest: Manifest, request: Request) -> Request:
    """Return the request with calls watched if the problem needs it. `read_outcome` reads what was seen."""
    if not is_recorded(manifest):
        return request
    asked = [requirement for requirement in manifest.requirements if isinstance(requirement, ForbidsCalls)]
    patterns = sorted({pattern for requirement in asked for pattern in requirement.forbids_calls})
    has_kernels = any(
        isinstance(requirement, Kernel) and requirement.is_watched for requirement in manifest.requirements
    )
    kernel_parameters = [parameter.name for parameter in manifest.parameters] if has_kernels else None
    return replace(request, driver=RECORDING_DRIVER.format(request.driver, patterns, kernel_parameters))


def read_outcome(manifest: Manifest, outcome: CaseOutcome) -> tuple[CaseOutcome, Facts]:
    """Return the outcome with the solution's own answer, and the facts on its calls.

    A malformed recording is returned unchanged and judged wrong.
    """
    if outcome.answer is None or not is_recorded(manifest):
        return outcome, NO_CALLS
    try:
        tree = decode(outcome.answer)
    except Malformed:
        return outcome, NO_CALLS
    if not isinstance(tree, dict) or set(tree) != RECORDING_KEYS or (counts := _numbers(tree["calls"])) is None:
        return outcome, NO_CALLS
    calls = replace(_read_notes(outcome.notes, counts), kernels=_read_kernels(tree["kernels"]))
    if tree["is_kept"] is not True:
        calls = replace(calls, touched={UNREADABLE: 0, **calls.touched})
    return replace(outcome, answer=encode(tree["answer"])), calls


def _numbers(tree: Tree) -> dict[str, int] | None:
    if not isinstance(tree, dict):
        return None
    return {name: number for name, number in tree.items() if isinstance(name, str) and type(number) is int}


def _read_kernels(tree: Tree) -> Kernels | None:
    try:
        return None if tree is None else KERNELS.validate_python(tree)
    except ValidationError:  # the process can write anything here
        return None


def _read_notes(notes: str, counts: Mapping[str, int]) -> Facts:
    """The process can write anything into its notes, so a line that is no note tells that the source did."""
    found: dict[str, dict[str, int]] = {"call": {}, "code": {}, "touched": {}}
    for line in filter(None, notes.split("\n")):
        if note := NOTE.fullmatch(line):
            found[note[1]].setdefault(note[2], int(note[3]))
        else:
            found["touched"].setdefault(UNREADABLE, 0)
    return Facts(numbers={}, calls=counts, forbidden=found["call"], code=found["code"], touched=found["touched"])


def run_cases(
    pool: Pool, spec: BoxSpec, request: Request, on_case: OnCase, abort: Event, processes: int = PROCESSES
) -> Box:
    """Call `on_case` once for every case, in order. Return the box that ran them.

    A case that kills its process ends the run; the rest goes into a new process as a new request. After `processes`
    processes have died, the rest is not run, and `on_case` is not called for it.

    Raises BoxLost when a box fails, Aborted when `abort` is set.
    """
    with pool.lease(spec, abort) as box:
        run_all(box, request, on_case, abort, processes=processes)
    return box


def run_all(
    box: Box,
    request: Request,
    on_case: OnCase,
    abort: Event,
    is_hopeless: Callable[[], bool] = lambda: False,
    processes: int = PROCESSES,
) -> None:
    """Like `run_cases`, in a box that is already leased. If `is_hopeless` after a process, the rest is not run."""
    queue = request.to_take()
    for _ in range(processes):
        outcome = box.run(replace(request, queue=queue), on_case, abort)
        if outcome.load_failure is not None:
            while (case := queue.take()) is not None:
                on_case(replace(outcome.load_failure, name=case.name))
        if len(queue) == 0 or is_hopeless():
            break
        if not outcome.cases:
            raise BoxLost("the box ended its run without an outcome for any case")
