"""Call many versions of a solution with the inputs of cases, in few processes that share what they compile.

Only the package's own code runs this way, in boxes without submissions. `batch_in_box.py` runs in the box.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

from app.engine.boxes import box_spec
from app.engine.prepare import PreparedCase
from app.engine.request import PackageFailed, limits_of, reason_of
from app.verification.trial import Trial
from sandbox.guest.codec import decode, encode
from sandbox.interface import Box, BoxLost, CaseInput, CaseOutcome, Ending, Parameter, Request

HERE = Path(__file__).parent
# No parameter can be named so.
VERSION, CALL = "%version", "%call"
# The exceptions of `batch_in_box.py` by which a call ends early.
CUT_OFF, SKIPPED = "CutOff", "Skipped"
# Limits of one process: it keeps what it has compiled, and gets the inputs of all its calls at once.
VERSIONS_IN_ONE = 48
BYTES_IN_ONE = 2**27
ROOM = 2
# A call may end its process because of an earlier one. A time limit has no such cause.
_DEADLY = frozenset({Ending.OUT_OF_MEMORY, Ending.CRASHED})


@dataclass(frozen=True, slots=True)
class Version:
    """`way` names a file in `ways/`, None for a plain call."""

    source: str
    way: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """`is_original`: its CPU time limits later calls with this case. `cpu_seconds`: of all calls of this version.

    A call that exceeds its limit is cut off, and the later calls of its version are skipped.
    """

    version: Version
    case: PreparedCase
    is_original: bool = False
    cpu_seconds: float | None = None


def call_all(trial: Trial, calls: Sequence[Call], wall_seconds: float) -> list[CaseOutcome | None]:
    """Return one outcome per call, in order, and None for a skipped call.

    `wall_seconds` is the limit of each call, with compilation. A call that kills its process runs again as the first
    one of a new process, so earlier calls can't be the cause. Raises BoxLost, Aborted, JudgeFailed.
    """
    outcomes: list[CaseOutcome | None] = []
    known: dict[str, float] = {}
    with trial.pools.boxes.lease(box_spec(trial.package.manifest), trial.abort) as box:
        while len(outcomes) < len(calls):
            left = list(_one_process(calls[len(outcomes) :]))
            made = _call_some(trial, box, left, wall_seconds, known)
            made = made[:-1] if len(made) > 1 and made[-1].ending in _DEADLY else made
            known |= {c.case.name: o.wall_seconds for c, o in zip(left, made, strict=False) if c.is_original}
            outcomes += [None if _is(outcome, SKIPPED) else _cut(outcome) for outcome in made]
            if made[-1].ending is Ending.TIMED_OUT:
                outcomes += [None] * _count_same(calls[len(outcomes) - 1 :])
    return outcomes


def _count_same(calls: Sequence[Call]) -> int:
    """Return how many calls after the first are of its version too."""
    return sum(1 for _ in takewhile(lambda call: call.version == calls[0].version, calls)) - 1


def _is(outcome: CaseOutcome, kind: str) -> bool:
    return outcome.failure is not None and outcome.failure.kind == kind


def _cut(outcome: CaseOutcome) -> CaseOutcome:
    return replace(outcome, ending=Ending.TIMED_OUT) if _is(outcome, CUT_OFF) else outcome


def call_while_alive(trial: Trial, calls: Sequence[Call], wall_seconds: float) -> list[CaseOutcome]:
    """Return the outcomes up to the first call that ends the process. Raises BoxLost, Aborted, JudgeFailed."""
    with trial.pools.boxes.lease(box_spec(trial.package.manifest), trial.abort) as box:
        return _call_some(trial, box, calls, wall_seconds, {})


def _call_some(
    trial: Trial, box: Box, calls: Sequence[Call], wall_seconds: float, known: Mapping[str, float]
) -> list[CaseOutcome]:
    """`known`: the original's time with each case, from earlier processes."""
    manifest = trial.package.manifest
    limits = limits_of(manifest)
    request = Request(
        source=_source("batch_in_box"),
        entry_point="answer",
        driver=None,
        parameters=(
            Parameter(VERSION, "value"),
            Parameter(CALL, "value"),
            *(Parameter(p.name, p.kind) for p in manifest.case_inputs),
        ),
        cases=tuple(CaseInput(str(number), _inputs(trial, call, known)) for number, call in enumerate(calls)),
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


def _inputs(trial: Trial, call: Call, known: Mapping[str, float]) -> bytes:
    inputs = decode(call.case.inputs)
    assert isinstance(inputs, dict)
    version = {
        "source": call.version.source,
        "entry_point": trial.package.manifest.entry_point,
        "driver": trial.package.runner,
        "names": list(inputs),
        "way": _source(f"ways/{call.version.way}") if call.version.way else None,
    }
    made = {
        "case": call.case.name,
        "is_original": call.is_original,
        "cpu_seconds": call.cpu_seconds,
        "original_seconds": known.get(call.case.name),
    }
    # In the order of the parameters, which the box keeps.
    return encode({VERSION: version, CALL: made, **inputs})


def _source(name: str) -> str:
    return (HERE / f"{name}.py").read_text()
