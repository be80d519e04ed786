"""How far right answers are from the expected ones: the reference computed in other ways, and accepted solutions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from app.catalog.verification_section import Kind, Way
from app.judging.verdicts import Verdict
from app.verification.batch import Call, Version, call_while_alive
from app.verification.distance import Distance, distance_of, is_rounding, same_dtypes
from app.verification.trial import Material, Trial
from app.worker.custom_checker import CustomChecker
from app.worker.prepare import PreparedCase
from sandbox.guest.codec import decode, encode
from sandbox.interface import CaseOutcome, Ending


@dataclass(frozen=True, slots=True, kw_only=True)
class _Manner:
    """`file` of `inside/ways`; `frameworks`: it is for problems with one of these, `but` with none of those."""

    file: str
    name: str
    meaning: str
    frameworks: frozenset[str]
    but: frozenset[str] = frozenset()
    is_quick: bool = False


_JAX, _TORCH, _NUMPY = frozenset({"jax"}), frozenset({"torch"}), frozenset({"numpy"})
FLOAT64, _SHUFFLED = "float64", "reduction order"
# In units of the last place, beside the largest of a leaf: what float32 may lose in a computation that is no disaster.
PRECISION = 1e4
# What precision changes beyond that, another order changes too, within this factor.
EXPLAINED = 100.0
# For a call, compiling included. A way that is slower, such as a long scan without jit, ends there.
MOST_SECONDS = 20.0
# These compute the same in the same precision.
_ROUNDING = frozenset({_SHUFFLED, "without jit", "with jit", "one thread"})
MANNERS = (
    _Manner(
        file="float64",
        name=FLOAT64,
        meaning="inputs, and all that follows from them, in float64",
        frameworks=_JAX | _TORCH | _NUMPY,
        is_quick=True,
    ),
    _Manner(
        file="shuffled_jax",
        name=_SHUFFLED,
        meaning="terms of sums and of products of matrices in a random order",
        frameworks=_JAX,
        is_quick=True,
    ),
    _Manner(
        file="shuffled_torch",
        name=_SHUFFLED,
        meaning="terms of sums, means and products of matrices in a random order, gradients too",
        frameworks=_TORCH,
        is_quick=True,
    ),
    _Manner(
        file="shuffled_numpy",
        name=_SHUFFLED,
        meaning="terms of sums, means and products of matrices in a random order",
        frameworks=_NUMPY,
        but=_JAX | _TORCH,
        is_quick=True,
    ),
    _Manner(file="without_jit", name="without jit", meaning="operation by operation", frameworks=_JAX),
    _Manner(file="whole_jit", name="with jit", meaning="the whole solution compiled at once", frameworks=_JAX),
    _Manner(file="one_thread", name="one thread", meaning="on one thread, without oneDNN", frameworks=_TORCH),
)
_LOST = "its process ended before an answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """How far one answer is; `label` says whose. `is_near`: within what precision can make of it, and no more."""

    kind: Kind
    label: str
    case: str
    distance: Distance
    is_near: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    samples: tuple[Sample, ...] = ()
    ways: tuple[Way, ...] = ()

    @property
    def of_rounding(self) -> float:
        """The largest share of a tolerance that another order of the same operations makes."""
        shares = [sample.distance.used or 0.0 for sample in self.samples if sample.label in _ROUNDING]
        return min(max(shares, default=0.0), 1.0)


def measure_noise(trial: Trial, material: Material) -> Noise:
    """Raises JudgeFailed, BoxLost, Aborted."""
    frameworks: set[str] = {*trial.package.manifest.frameworks} or {*_NUMPY}
    chosen = [
        manner
        for manner in MANNERS
        if manner.frameworks & frameworks
        and not manner.but & frameworks
        and (manner.is_quick or not trial.effort.is_quick)
    ]
    gone = trial.each("the reference in other ways", chosen, lambda manner: _go(trial, material, manner))
    samples = [sample for samples, _ in gone for sample in samples]
    others = [s for s in samples if s.label != FLOAT64]
    kept = [s for s in samples if s.is_near or _is_explained(s, others)]
    ways = tuple(_without(way, [s.case for s in samples if s.label == way.name and s not in kept]) for _, way in gone)
    return Noise(samples=(*kept, *_accepted(trial, material)), ways=ways)


def _is_explained(sample: Sample, others: Sequence[Sample]) -> bool:
    """Whether rounding is amplified as much when only the order is another.

    If it is not, then another precision has made it another computation: a number that no longer overflows, a draw of
    other random numbers, a cast that is skipped. That says nothing about right answers.
    """
    known = max((s.distance.used or 0.0 for s in others if s.case == sample.case), default=0.0)
    used = sample.distance.used
    return used is not None and used <= EXPLAINED * known


def _without(way: Way, cases: Sequence[str]) -> Way:
    if not cases:
        return way
    named = ", ".join(cases) if len(cases) <= MOST_NAMED else f"{len(cases)} cases"
    left_out = f"another precision makes {named} another computation"
    return way.model_copy(update={"cases": way.cases - len(cases), "left_out": left_out})


def _go(trial: Trial, material: Material, manner: _Manner) -> tuple[list[Sample], Way]:
    version = Version(trial.package.reference, manner.file)
    cases = sorted(some_of_each(material.cases), key=lambda case: len(case.inputs))
    calls = [Call(version, case) for case in cases]
    outcomes = call_while_alive(trial, calls, MOST_SECONDS)
    asker = CustomChecker(trial.package, trial.pools.references, trial.abort)
    answered = [(c, _rounded(c, o)) for c, o in zip(cases, outcomes, strict=False) if o.ending is Ending.ANSWERED]
    samples = [
        Sample(
            kind="reference",
            label=manner.name,
            case=c.name,
            distance=distance_of(asker, c, o),
            is_near=manner.name != FLOAT64 or is_rounding(o.answer, c.expected, PRECISION),
        )
        for c, o in answered
    ]
    left_out = "" if len(answered) == len(cases) else _why(cases, outcomes)
    return samples, Way(name=manner.name, meaning=manner.meaning, cases=len(answered), left_out=left_out)


def _why(cases: Sequence[PreparedCase], outcomes: Sequence[CaseOutcome]) -> str:
    """Of the first case without an answer."""
    for case, outcome in zip(cases, outcomes, strict=False):
        if outcome.ending is not Ending.ANSWERED:
            reason = f"{outcome.failure.kind}: {outcome.failure.message}" if outcome.failure else str(outcome.ending)
            return f"{case.name}: {reason.splitlines()[0][:200]}"
    return _LOST


def _rounded(case: PreparedCase, outcome: CaseOutcome) -> CaseOutcome:
    """What is measured is the computation, and not that it ended in another dtype."""
    answer = same_dtypes(decode(outcome.answer or b""), decode(case.expected))
    return replace(outcome, answer=encode(answer))


def _accepted(trial: Trial, material: Material) -> Iterator[Sample]:
    asker = CustomChecker(trial.package, trial.pools.references, trial.abort)
    for judged in material.judged:
        if judged.submission.verdict is not Verdict.ACCEPTED:
            continue
        for case in material.cases:
            outcome = judged.attempt.outcomes.get(case.name)
            if outcome is not None and outcome.ending is Ending.ANSWERED:
                distance = distance_of(asker, case, outcome)
                yield Sample(kind="accepted", label=judged.submission.name, case=case.name, distance=distance)


MOST_OF_ONE = 3
MOST_NAMED = 3


def some_of_each(cases: Sequence[PreparedCase]) -> list[PreparedCase]:
    """Of cases that are one repeated (`random_1`, `random_2`, …) the first few: the others are draws of the same."""
    kept: list[PreparedCase] = []
    counts: dict[str, int] = {}
    for case in cases:
        stem, _, number = case.name.rpartition("_")
        family = stem if number.isdecimal() else case.name
        counts[family] = counts.get(family, 0) + 1
        if counts[family] <= MOST_OF_ONE:
            kept.append(case)
    return kept
