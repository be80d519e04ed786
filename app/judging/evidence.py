"""What is known of how an answer was computed: facts about a program, which the rules in `requirements` judge.

For what JAX can trace they are read from the exported program itself, in a box that never held a student's Python.
Counts of calls come from the student's own process, and are evidence, not proof.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """`length`: number of steps, or None where it depends on values; `steps`: with those of the loops around it.

    `index`: its place among the loops of the program. `nesting`: how many loops are around it.
    `takes_part`: the answer depends on it. `fed_by`: the parameters that reach the answer by way of it.
    `bypassed_by`: those that reach the answer beside it. `whole`: those of which every step sees more than the part
    that its counter chooses. `outside`: the arithmetic that is done neither in it nor in others of its length, since a
    loop is differentiated as two; infinite where nothing bounds it. `share`: the part that is not, from 0 to 1.
    `effect`: how far the answer moves at least without the first or without the last step; None if not tried.
    """

    index: int
    length: int | None
    steps: int | None
    nesting: int
    takes_part: bool
    fed_by: tuple[str, ...] = ()
    bypassed_by: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    share: float = 1.0
    outside: float = 0.0
    effect: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditional:
    """A choice between `branches` by a value; the rest as for loops.

    `effect`: how far the answer moves at most when one and the same branch is taken always; None if not tried.
    """

    index: int
    branches: int
    nesting: int
    takes_part: bool
    fed_by: tuple[str, ...] = ()
    bypassed_by: tuple[str, ...] = ()
    effect: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """`operations`: how often each StableHLO operation stands in the program, by name without its dialect.

    `copies`: of the largest group of operations that is written out again and again, as an unrolled loop is.
    `axes`: how much arithmetic is done on arrays that have an axis of a size. `equations`: operations in all.
    `temporary_bytes`: what the compiled program needs; `flops`: a count over all that the outputs depend on, of which
    `unbounded` loops have no known number of steps and count as one.
    """

    loops: tuple[Loop, ...]
    branches: tuple[Conditional, ...]
    operations: Mapping[str, int]
    copies: int
    axes: Mapping[int, float]
    equations: int
    temporary_bytes: int
    flops: float
    unbounded: int = 0
