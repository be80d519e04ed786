"""Many versions of a solution, each called with the inputs of cases: in few processes, so that compiling is shared.

For the package's own code only, in boxes that hold nothing else. `inside/batch.py` is what runs there.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from app.errors import JudgeFailed
from app.verification.trial import Trial
from app.worker.boxes import box_spec
from app.worker.prepare import PreparedCase
from app.worker.request import limits_of, reason_of
from sandbox.guest.codec import decode, encode
from sandbox.interface import Box, BoxLost, CaseInput, CaseOutcome, Ending, Parameter, Request

INSIDE = Path(__file__).parent / "inside"
VERSION = "%version"  # no parameter can be named so
# A process keeps what it has compiled; and the inputs of all its calls are sent at once.
VERSIONS_IN_ONE = 48
BYTES_IN_ONE = 2**27
ROOM = 2
_DEADLY = frozenset({Ending.TIMED_OUT, Ending.OUT_OF_MEMORY, Ending.CRASHED})


@dataclass(frozen=True, slots=True)
class Version:
    """`way`: the name of a file in `inside/ways`, or None for the plain one."""

    source: str
    way: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    version: Version
    case: PreparedCase


def call_all(trial: Trial, calls: Sequence[Call], wall_seconds: float) -> list[CaseOutcome]:
    """One outcome for each, in order. `wall_seconds` for each call, which may be the first to compile.

    A call that ends its process is made again as the first of another one: what counts against it is its own.
    Raises BoxLost, Aborted, JudgeFailed.
    """
    outcomes: list[CaseOutcome] = []
    with trial.pools.references.lease(box_spec(trial.package.manifest), trial.abort) as box:
        while len(outcomes) < len(calls):
            made = _call_some(trial, box, list(_one_process(calls[len(outcomes) :])), wall_seconds)
            outcomes += made[:-1] if len(made) > 1 and made[-1].ending in _DEADLY else made
    return outcomes


def call_while_alive(trial: Trial, calls: Sequence[Call], wall_seconds: float) -> list[CaseOutcome]:
    """In order, up to the first that ends the process. Raises BoxLost, Aborted, JudgeFailed."""
    with trial.pools.references.lease(box_spec(trial.package.manifest), trial.abort) as box:
        return _call_some(trial, box, calls, wall_seconds)


def _call_some(trial: Trial, box: Box, calls: Sequence[Call], wall_seconds: float) -> list[CaseOutcome]:
    manifest = trial.package.manifest
    limits = limits_of(manifest)
    request = Request(
        source=_source("batch"),
        entry_point="answer",
        driver=None,
        parameters=(Parameter(VERSION, "value"), *(Parameter(p.name, p.kind) for p in manifest.case_inputs)),
        cases=tuple(CaseInput(str(number), _inputs(trial, call)) for number, call in enumerate(calls)),
        limits=replace(limits, wall_seconds=wall_seconds, memory_bytes=ROOM * limits.memory_bytes),
    )
    outcomes: list[CaseOutcome] = []
    ran = box.run(request, outcomes.append, trial.abort)
    if ran.load_failure is not None:
        raise JudgeFailed(f"what calls the versions could not be loaded: {reason_of(ran.load_failure)}")
    if not outcomes:
        raise BoxLost("the box ended its run without an outcome for any call")
    return outcomes


def _one_process(calls: Iterable[Call]) -> Iterator[Call]:
    versions: set[Version] = set()
    size = 0
    for call in calls:
        versions.add(call.version)
        size += len(call.case.inputs)
        if size > len(call.case.inputs) and (len(versions) > VERSIONS_IN_ONE or size > BYTES_IN_ONE):
            return
        yield call


def _inputs(trial: Trial, call: Call) -> bytes:
    inputs = decode(call.case.inputs)
    assert isinstance(inputs, dict)
    version = {
        "source": call.version.source,
        "entry_point": trial.package.manifest.entry_point,
        "driver": trial.package.driver,
        "names": list(inputs),
        "way": _source(f"ways/{call.version.way}") if call.version.way else None,
    }
    # In the order of the parameters, which is that of the arguments.
    return encode({VERSION: version, **inputs})


@cache
def _source(name: str) -> str:
    return (INSIDE / f"{name}.py").read_text()
