"""`distribution`: the leaf holds any samples of the right distribution.

The expected leaf holds samples too. Its first axis counts them; the other axes are the components of each. The tests
compare mean, standard deviation, shape (Kolmogorov and Smirnov) and both tails of each component, and the covariance of
each pair. `sampling` has the formulas.

`false_reject_rate` bounds the share of correct answers that are rejected, for each such leaf of each case. The tests
share it equally (Bonferroni), and each keeps its part for every size and every distribution. The rate is over the draws
of both samples, but the reference draws only once for each variant. So with a large rate, some variants can reject more
often. The judge itself draws nothing.

The tests can't detect dependence between samples, nor a few extreme values, since some distributions have those. A leaf
must have enough samples to detect that a quarter of them are misplaced.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count as counted
from math import prod
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from app.judging.checker import Checker, CheckerUnfit, DtypePolicy, Finding, Objection, Shape, Task, find_elements
from app.judging.leaf import Array, Kind, read_leaf, shown
from app.judging.numeric import np
from app.judging.options import Number
from app.judging.sampling import SamplingTest, count_of_trials, try_two_samples, two_sample_limit
from app.judging.tolerance_comparison import EXACT, measure

DISTRIBUTION = "distribution differs"
MAX_COMPONENTS = 32
LARGEST_GAP = 0.25  # the largest undetected gap
COARSE = ("float16", "bfloat16")


class Distribution(Checker):
    """Samples of the expected samples' distribution."""

    checker: Literal["distribution"]
    false_reject_rate: Annotated[Number, Field(ge=1e-12, le=0.01)] = 1e-6

    kinds: ClassVar[frozenset[Kind]] = frozenset({"bool", "int", "float"})
    dtype_policy: ClassVar[DtypePolicy] = "kind"

    @property
    def rule(self) -> str:
        return "a sample from the same distribution as the reference's"

    def find_unfit_shape(self, shape: Shape) -> Objection | None:
        if not shape:
            return Objection(message="has no dimensions, but samples are counted along axis 0", remedy="return several")
        components = prod(size or 1 for size in shape[1:])
        if components > MAX_COMPONENTS:
            message = f"has {components} components, and distribution looks at {MAX_COMPONENTS} at most"
            return Objection(message=message, remedy="return samples with fewer components")
        count = shape[0]
        if count is None or count >= (needed := self._needed(components)):
            return None
        message = f"has {count} samples, and a false_reject_rate of {self.false_reject_rate:g} needs {needed} or more"
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
        rows = expected.shape[0]
        sides = answer.reshape(rows, -1), expected.reshape(rows, -1)
        return try_two_samples(*sides, self.false_reject_rate / count_of_trials(sides[1].shape[1]))

    def _needed(self, components: int) -> int:
        """Return the number of samples from which chance can't explain a gap of a quarter."""
        probability = self.false_reject_rate / count_of_trials(components)
        return next(size for size in counted(1) if two_sample_limit(size, probability) / size <= LARGEST_GAP)


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
