"""`distribution`: the leaf holds any samples of the right distribution.

Without a `law`, the expected leaf holds samples too. Its first axis counts them; the other axes are the components of
each. The tests compare mean, standard deviation, shape (Kolmogorov and Smirnov) and both tails of each component, and
the covariance of each pair. With a `law`, shifted by `loc` and scaled by `scale`, all elements are independent samples
of it. The tests compare mean and spread of their places in the law, shape, and tails. `sampling` has the formulas.

`false_reject_rate` bounds the share of correct answers that are rejected, for each such leaf of each case. The tests
share it equally (Bonferroni), and each keeps its part for every size and every distribution. Between two samples the
rate is over the draws of both, but the reference draws only once for each variant. So with a large rate, some variants
can reject more often. The judge itself draws nothing.

The tests can't detect dependence between samples. Without a law they can't detect a few extreme values either, since
some distributions have those. A leaf must have enough samples to detect that a quarter of them are misplaced.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from math import prod
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from app.judging.checker import Checker, CheckerUnfit, DtypePolicy, Finding, Objection, Shape, Task
from app.judging.distributions import LAWS
from app.judging.element_report import find_elements
from app.judging.leaf import Array, Kind, kind_of, read_leaf, shown
from app.judging.numeric import np
from app.judging.options import Number
from app.judging.sampling import (
    LAW_TRIALS,
    SLACK,
    SamplingTest,
    count_of_trials,
    one_sample_limit,
    try_law,
    try_two_samples,
    two_sample_limit,
)
from app.judging.tolerance_comparison import EXACT, measure

DISTRIBUTION = "distribution differs"
MAX_COMPONENTS = 32
LARGEST_GAP = 0.25  # the largest undetected gap
COARSE = ("float16", "bfloat16")


class Distribution(Checker):
    """Samples of the expected samples' distribution, or of a law."""

    checker: Literal["distribution"]
    law: Literal["normal", "uniform", "exponential", "laplace", "logistic", "gumbel", "cauchy"] | None = None
    loc: Number | None = None
    scale: Annotated[Number, Field(gt=0)] | None = None
    false_reject_rate: Annotated[Number, Field(ge=1e-12, le=0.01)] = 1e-6

    kinds: ClassVar[frozenset[Kind]] = frozenset({"bool", "int", "float"})
    dtype_policy: ClassVar[DtypePolicy] = "kind"

    @property
    def rule(self) -> str:
        if self.law is None:
            return "a sample from the same distribution as the reference's"
        return f"a sample from the {self.law} distribution with loc {self.loc or 0:g} and scale {self.scale or 1:g}"

    def find_contradiction(self) -> Objection | None:
        for key, value in (("loc", self.loc), ("scale", self.scale)):
            if value is not None and self.law is None:
                return Objection(key=key, message="needs a law", remedy="add `law: normal` or remove it")
        return None

    def find_unfit(self, dtype: str, shape: Shape | None) -> Objection | None:
        if self.law is not None and (kind_of(dtype) != "float" or dtype in COARSE):
            remedy = "return float32 or float64, or leave out the law"
            return Objection(message=f"is {dtype}, but a law has values between", remedy=remedy)
        return super().find_unfit(dtype, shape)

    def find_unfit_shape(self, shape: Shape) -> Objection | None:
        if self.law is None and not shape:
            return Objection(message="has no dimensions, but samples are counted along axis 0", remedy="return several")
        components = 1 if self.law else prod(size or 1 for size in shape[1:])
        if components > MAX_COMPONENTS:
            message = f"has {components} components, and distribution looks at {MAX_COMPONENTS} at most"
            return Objection(message=message, remedy="return samples with fewer components")
        counted = shape if self.law else shape[:1]
        size = prod(size or 0 for size in counted)
        if None in counted or size >= (needed := self._needed(components)):
            return None
        message = f"has {size} samples, and a false_reject_rate of {self.false_reject_rate:g} needs {needed} or more"
        return Objection(message=message, remedy="draw more, or allow a higher rate")

    def check(self, task: Task) -> Finding:
        expected = task.expected.array.astype(np.float64)
        if not np.isfinite(expected).all():
            raise CheckerUnfit(f"distribution can't judge {task.place}: it holds nan or inf; choose another checker")
        is_coarse = task.expected.dtype in COARSE
        given = task.answer.array.astype(task.expected.array.dtype) if is_coarse else task.answer.array
        answer = given.astype(np.float64)
        if not np.isfinite(answer).all():
            distance = measure(read_leaf(answer), task.expected, EXACT)
            return find_elements(task, replace(distance, outside=distance.misplaced), answer)
        trials = list(self._try(answer, expected))
        worst = max(trials, key=lambda trial: trial.used)
        told = next((trial for trial in trials if trial.used > 1), worst)
        return replace(_find(task, told), tolerance_used=worst.used)

    def _try(self, answer: Array, expected: Array) -> Iterator[SamplingTest]:
        if self.law is None:
            rows = expected.shape[0]
            sides = answer.reshape(rows, -1), expected.reshape(rows, -1)
            return try_two_samples(*sides, self.false_reject_rate / count_of_trials(sides[1].shape[1]))
        loc, scale = self.loc or 0.0, self.scale or 1.0
        standard = (answer.reshape(-1) - loc) / scale
        return try_law(standard, LAWS[self.law], SLACK * (1 + abs(loc) / scale), self.false_reject_rate / LAW_TRIALS)

    def _needed(self, components: int) -> int:
        """Return the number of samples from which chance can't explain a gap of a quarter."""
        probability = self.false_reject_rate / (LAW_TRIALS if self.law else count_of_trials(components))
        return next(
            size
            for size in count(1)
            if (one_sample_limit(size, probability) if self.law else two_sample_limit(size, probability) / size)
            <= LARGEST_GAP
        )


def _find(task: Task, trial: SamplingTest) -> Finding:
    numbers = f"yours {trial.answer:.4g}, expected {trial.expected:.4g}"
    chance = f"statistic {trial.statistic:.3g}, limit {trial.limit:.3g}"
    message = f"{task.subject} does not follow the expected distribution; {trial.what}: {numbers} ({chance})"
    return Finding(
        category=DISTRIBUTION if trial.used > 1 else None,
        message=message if trial.used > 1 else "",
        worst_answer=shown(float(trial.answer)),
        worst_expected=shown(float(trial.expected)),
        worst_difference=float(trial.statistic),
        worst_allowed=float(trial.limit),
    )
