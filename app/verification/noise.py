"""Measure the noise of right answers: the errors of accepted solutions, and of the reference computed in other ways."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from app.catalog.verification_section import Kind, Way
from app.engine.batch import Call, Version
from app.engine.custom_checker import CustomChecker
from app.engine.prepare import PreparedCase, shapes_of
from app.judging.verdicts import Verdict
from app.verification.distance import Distance, distances_of, is_rounding, same_dtypes
from app.verification.trial import Material, Trial, some_of_each
from app.verification.ways import read_way
from sandbox.guest.codec import decode, encode
from sandbox.interface import CaseOutcome, Ending

_JAX, _TORCH, _NUMPY = frozenset({"jax"}), frozenset({"torch"}), frozenset({"numpy"})
FLOAT64, _SHUFFLED = "float64", "reduction order"
# Units in the last place of a leaf's largest element that float32 may lose in a stable computation.
PRECISION = 1e4
# A larger effect of precision is noise only if another order has one too, within this factor.
EXPLAINED = 100.0
# The limits of a call, with compilation. Slower ways, such as a long scan without jit, end there; so do larger cases.
MOST_CPU_SECONDS = 4.0
MOST_SECONDS = 20.0
# These ways keep the precision.
_ROUNDING = frozenset({_SHUFFLED, "without jit", "with jit", "one thread"})
MOST_SHAPES = 4
_LOST = "its process ended before it answered"
MOST_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Manner:
    """A way to compute, in a file of `ways/`. It needs one of `frameworks` and none of `but`."""

    file: str
    name: str
    meaning: str
    frameworks: frozenset[str]
    but: frozenset[str] = frozenset()
    is_quick: bool = False


MANNERS = (
    _Manner(
        file="float64",
        name=FLOAT64,
        meaning="inputs, and all values that depend on them, in float64",
        frameworks=_JAX | _TORCH | _NUMPY,
        is_quick=True,
    ),
    _Manner(
        file="shuffled_jax",
        name=_SHUFFLED,
        meaning="terms of sums and matrix products in a random order",
        frameworks=_JAX,
        is_quick=True,
    ),
    _Manner(
        file="shuffled_torch",
        name=_SHUFFLED,
        meaning="terms of sums, means and matrix products in a random order, also in gradients",
        frameworks=_TORCH,
        is_quick=True,
    ),
    _Manner(
        file="shuffled_numpy",
        name=_SHUFFLED,
        meaning="terms of sums, means and matrix products in a random order",
        frameworks=_NUMPY,
        but=_JAX | _TORCH,
        is_quick=True,
    ),
    _Manner(file="without_jit", name="without jit", meaning="operation by operation", frameworks=_JAX),
    _Manner(file="whole_jit", name="with jit", meaning="the whole solution compiled at once", frameworks=_JAX),
    _Manner(file="one_thread", name="one thread", meaning="on one thread, without oneDNN", frameworks=_TORCH),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The error of one answer; `label` names its solution, and `diff` shows it if it is a mutant.

    `is_near`: float32's precision alone explains it.
    """

    kind: Kind
    label: str
    case: str
    distance: Distance
    is_near: bool = True
    diff: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    samples: tuple[Sample, ...] = ()
    ways: tuple[Way, ...] = ()

    @property
    def of_rounding(self) -> float:
        """Return the largest share of a tolerance that reordering the same operations uses, at most 1."""
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
    recomputed = trial.each("the reference in other ways", chosen, lambda manner: _recompute(trial, material, manner))
    samples = [sample for samples, _ in recomputed for sample in samples]
    others = [s for s in samples if s.label != FLOAT64]
    kept = [s for s in samples if s.is_near or _is_explained(s, others)]
    ways = tuple(
        _without(way, [s.case for s in samples if s.label == way.name and s not in kept]) for _, way in recomputed
    )
    return Noise(samples=(*kept, *_accepted(trial, material)), ways=ways)


def _is_explained(sample: Sample, others: Sequence[Sample]) -> bool:
    """Whether another order of operations amplifies rounding as much as this sample's precision does.

    If not, the other precision made another computation: a number that no longer overflows, other random numbers, a
    skipped cast. Such a sample says nothing about right answers.
    """
    known = max((s.distance.used or 0.0 for s in others if s.case == sample.case), default=0.0)
    used = sample.distance.used
    return used is not None and used <= EXPLAINED * known


def _without(way: Way, cases: Sequence[str]) -> Way:
    if not cases:
        return way
    named = ", ".join(cases) if len(cases) <= MOST_NAMED else f"{len(cases)} cases"
    left_out = f"in another precision, {named} computes something else"
    return way.model_copy(update={"cases": way.cases - len(cases), "left_out": left_out})


def _recompute(trial: Trial, material: Material, manner: _Manner) -> tuple[list[Sample], Way]:
    version = Version(trial.package.reference, read_way(manner.file))
    cases = _chosen(trial, material.cases)
    calls = [Call(version, case, cpu_seconds=MOST_CPU_SECONDS) for case in cases]
    outcomes = trial.batch.call_while_alive(calls, MOST_SECONDS)
    asker = CustomChecker(trial.package, trial.pools.boxes, trial.abort)
    answered = [(c, _rounded(c, o)) for c, o in zip(cases, outcomes, strict=False) if o.ending is Ending.ANSWERED]
    samples = [
        Sample(
            kind="reference",
            label=manner.name,
            case=c.name,
            distance=distance,
            is_near=manner.name != FLOAT64 or is_rounding(o.answer, c.expected, PRECISION),
        )
        for (c, o), distance in zip(answered, distances_of(asker, answered), strict=True)
    ]
    left_out = "" if len(answered) == len(cases) else _why(cases, outcomes)
    return samples, Way(name=manner.name, meaning=manner.meaning, cases=len(answered), left_out=left_out)


def _chosen(trial: Trial, cases: Sequence[PreparedCase]) -> list[PreparedCase]:
    """Return the cases to recompute, small ones first. JAX compiles each shape again: it gets one case of some."""
    chosen = sorted(some_of_each(cases), key=lambda case: len(case.inputs))
    if not _JAX & {*trial.package.manifest.frameworks}:
        return chosen
    shapes = shapes_of(chosen[::-1], trial.package.manifest.case_inputs)
    some = [shape.cases[0] for shape in shapes[:: -(-len(shapes) // MOST_SHAPES)]]
    return some[::-1]


def _why(cases: Sequence[PreparedCase], outcomes: Sequence[CaseOutcome]) -> str:
    """Return why the first case without an answer has none."""
    for case, outcome in zip(cases, outcomes, strict=False):
        if outcome.ending is not Ending.ANSWERED:
            reason = f"{outcome.failure.kind}: {outcome.failure.message}" if outcome.failure else str(outcome.ending)
            return f"{case.name}: {reason.splitlines()[0][:200]}"
    return _LOST


def _rounded(case: PreparedCase, outcome: CaseOutcome) -> CaseOutcome:
    """Return the outcome with the dtypes of the expected answer, so that only the values differ."""
    answer = same_dtypes(decode(outcome.answer or b""), decode(case.expected))
    return replace(outcome, answer=encode(answer))


def _accepted(trial: Trial, material: Material) -> Iterator[Sample]:
    asker = CustomChecker(trial.package, trial.pools.boxes, trial.abort)
    for judged in material.judged:
        if judged.submission.verdict is not Verdict.ACCEPTED:
            continue
        outcomes = judged.attempt.outcomes
        ran = [(case, outcomes[case.name]) for case in material.cases if case.name in outcomes]
        answered = [(case, outcome) for case, outcome in ran if outcome.ending is Ending.ANSWERED]
        for (case, _), distance in zip(answered, distances_of(asker, answered), strict=True):
            yield Sample(kind="accepted", label=judged.submission.name, case=case.name, distance=distance)
