"""Call many versions of a solution with the inputs of cases, in few processes that share what they compile.

Only the package's own code runs this way, in boxes without submissions. `inside/batch.py` runs in the box.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from app.verification.trial import Trial
from app.worker.boxes import box_spec
from app.worker.prepare import PreparedCase
from app.worker.request import PackageFailed, limits_of, reason_of
from sandbox.guest.codec import decode, encode
from sandbox.interface import Box, BoxLost, CaseInput, CaseOutcome, Ending, Parameter, Request

INSIDE = Path(__file__).parent / "inside"
VERSION = "%version"  # no parameter can be named so
# Limits of one process: it keeps what it has compiled, and gets the inputs of all its calls at once.
VERSIONS_IN_ONE = 48
BYTES_IN_ONE = 2**27
ROOM = 2
_DEADLY = frozenset({Ending.TIMED_OUT, Ending.OUT_OF_MEMORY, Ending.CRASHED})


@dataclass(frozen=True, slots=True)
class Version:
    """`way` names a file in `inside/ways`, None for a plain call."""

    source: str
    way: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    version: Version
    case: PreparedCase


def call_all(trial: Trial, calls: Sequence[Call], wall_seconds: float) -> list[CaseOutcome]:
    """Return one outcome per call, in order. `wall_seconds` is the limit of each call, with compilation.

    A call that ends its process runs again as the first one of a new process, so earlier calls can't be the cause.
    Raises BoxLost, Aborted, JudgeFailed.
    """
    outcomes: list[CaseOutcome] = []
    with trial.pools.references.lease(box_spec(trial.package.manifest), trial.abort) as box:
        while len(outcomes) < len(calls):
            made = _call_some(trial, box, list(_one_process(calls[len(outcomes) :])), wall_seconds)
            outcomes += made[:-1] if len(made) > 1 and made[-1].ending in _DEADLY else made
    return outcomes


def call_while_alive(trial: Trial, calls: Sequence[Call], wall_seconds: float) -> list[CaseOutcome]:
    """Return the outcomes up to the first call that ends the process. Raises BoxLost, Aborted, JudgeFailed."""
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
        reason = f"a batch of calls could not start: {reason_of(ran.load_failure)}"
        raise PackageFailed(reason, remedy="verify again, and report it if it happens again")
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
        "driver": trial.package.runner,
        "names": list(inputs),
        "way": _source(f"ways/{call.version.way}") if call.version.way else None,
    }
    # In the order of the parameters, which the box keeps.
    return encode({VERSION: version, **inputs})


@cache
def _source(name: str) -> str:
    return (INSIDE / f"{name}.py").read_text()
