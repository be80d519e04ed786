"""Call many solutions with the inputs of cases, in few processes that share what they compile.

Only the package's own code runs this way, in boxes without submissions. `batch_in_box.py` runs in the box.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from threading import Event

from app.catalog.package import Package
from app.engine.boxes import box_spec
from app.engine.prepare import PreparedCase
from app.engine.request import PackageFailed, limits_of, reason_of
from sandbox.guest.codec import decode, encode
from sandbox.interface import Box, BoxLost, CaseInput, CaseOutcome, Ending, Parameter, Request
from sandbox.pool import Pool

IN_BOX = Path(__file__).with_name("batch_in_box.py")
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
    """`way`: the source of another way to call it (`app/verification/ways`), None for a plain call."""

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


@dataclass(frozen=True, slots=True)
class Batch:
    """Calls versions in boxes of `pool`, which never holds a submission. All methods raise BoxLost, Aborted and
    JudgeFailed. `wall_seconds` is the limit of each call, with compilation.
    """

    package: Package
    pool: Pool
    abort: Event

    def call_all(self, calls: Sequence[Call], wall_seconds: float) -> list[CaseOutcome | None]:
        """Return one outcome per call, in order, and None for a skipped call.

        A call that kills its process runs again as the first one of a new process, so earlier calls can't be the cause.
        """
        outcomes: list[CaseOutcome | None] = []
        known: dict[str, float] = {}
        with self.pool.lease(box_spec(self.package.manifest), self.abort) as box:
            while len(outcomes) < len(calls):
                left = list(_one_process(calls[len(outcomes) :]))
                made = self._call_some(box, left, wall_seconds, known)
                made = made[:-1] if len(made) > 1 and made[-1].ending in _DEADLY else made
                known |= {c.case.name: o.wall_seconds for c, o in zip(left, made, strict=False) if c.is_original}
                outcomes += [None if _is(outcome, SKIPPED) else _cut(outcome) for outcome in made]
                if made[-1].ending is Ending.TIMED_OUT:
                    outcomes += [None] * _count_same(calls[len(outcomes) - 1 :])
        return outcomes

    def call_while_alive(self, calls: Sequence[Call], wall_seconds: float) -> list[CaseOutcome]:
        """Return the outcomes up to the first call that ends the process."""
        with self.pool.lease(box_spec(self.package.manifest), self.abort) as box:
            return self._call_some(box, calls, wall_seconds, {})

    def _call_some(
        self, box: Box, calls: Sequence[Call], wall_seconds: float, known: Mapping[str, float]
    ) -> list[CaseOutcome]:
        """`known`: the original's time with each case, from earlier processes."""
        manifest = self.package.manifest
        limits = limits_of(manifest)
        request = Request(
            source=IN_BOX.read_text(),
            entry_point="answer",
            driver=None,
            parameters=(
                Parameter(VERSION, "value"),
                Parameter(CALL, "value"),
                *(Parameter(p.name, p.kind) for p in manifest.case_inputs),
            ),
            cases=tuple(CaseInput(str(n), _inputs(self.package, call, known)) for n, call in enumerate(calls)),
            limits=replace(limits, wall_seconds=wall_seconds, memory_bytes=ROOM * limits.memory_bytes),
        )
        outcomes: list[CaseOutcome] = []
        ran = box.run(request, outcomes.append, self.abort)
        if ran.load_failure is not None:
            reason = f"a batch of calls could not start: {reason_of(ran.load_failure)}"
            raise PackageFailed(reason, remedy="verify again, and report it if it happens again")
        if not outcomes:
            raise BoxLost("the box ended its run without an outcome for any call")
        return outcomes


def _count_same(calls: Sequence[Call]) -> int:
    """Return how many calls after the first are of its version too."""
    return sum(1 for _ in takewhile(lambda call: call.version == calls[0].version, calls)) - 1


def _is(outcome: CaseOutcome, kind: str) -> bool:
    return outcome.failure is not None and outcome.failure.kind == kind


def _cut(outcome: CaseOutcome) -> CaseOutcome:
    return replace(outcome, ending=Ending.TIMED_OUT) if _is(outcome, CUT_OFF) else outcome


def _one_process(calls: Iterable[Call]) -> Iterator[Call]:
    versions: set[Version] = set()
    size = 0
    for call in calls:
        versions.add(call.version)
        size += len(call.case.inputs)
        if size > len(call.case.inputs) and (len(versions) > VERSIONS_IN_ONE or size > BYTES_IN_ONE):
            return
        yield call


def _inputs(package: Package, call: Call, known: Mapping[str, float]) -> bytes:
    inputs = decode(call.case.inputs)
    assert isinstance(inputs, dict)
    version = {
        "source": call.version.source,
        "entry_point": package.manifest.entry_point,
        "driver": package.runner,
        "names": list(inputs),
        "way": call.version.way,
    }
    made = {
        "case": call.case.name,
        "is_original": call.is_original,
        "cpu_seconds": call.cpu_seconds,
        "original_seconds": known.get(call.case.name),
    }
    # In the order of the parameters, which the box keeps.
    return encode({VERSION: version, CALL: made, **inputs})
