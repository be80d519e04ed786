"""What is known of how an answer was computed: facts about a program, which the rules in `requirements` judge.

For what JAX can trace they are read from the exported program itself, in a box that never held a student's Python.
Counts of calls come from the student's own process, and are evidence, not proof.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """`length`: number of steps, or None where it depends on values. `nesting`: how many loops are around it.

    `takes_part`: the answer depends on it. `bypassed_by`: the parameters that reach the answer beside it.
    `every_step_counts`: whether the answer changes without its first and without its last step; None if not tried.
    """

    length: int | None
    nesting: int
    takes_part: bool
    bypassed_by: tuple[str, ...] = ()
    every_step_counts: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """`operations`: how often each StableHLO operation stands in the program, by name without its dialect.

    `copies`: of the largest group of operations that is written out again and again, as an unrolled loop is.
    `equations`: operations in all. `temporary_bytes` and `flops` are what the compiled program needs.
    """

    loops: tuple[Loop, ...]
    conditionals: int
    operations: Mapping[str, int]
    copies: int
    equations: int
    temporary_bytes: int
    flops: float
