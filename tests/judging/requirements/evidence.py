"""Evidence of a program that meets what is asked, to be changed in one point."""

from dataclasses import replace
from typing import Any

from app.judging.requirement import Block, Conditional, Evidence, Facts, KernelCall, Kernels, Loop

LOOP = Loop(index=0, length=8, steps=8, takes_part=True, fed_by=("x", "y"), share=0.9, outside=100.0, effect=0.2)
BRANCH = Conditional(index=0, branches=2, takes_part=True, fed_by=("x",), effect=0.2)
BLOCK = Block(parameters=("x",), dtype="f32", shape=(16, 64), bytes=4096, total_bytes=32_768, array_bytes=16_384)
CALL = KernelCall(grid=(4, 2), inputs=(BLOCK, replace(BLOCK, parameters=("y",))), outputs=(BLOCK,))
KERNELS = Kernels(calls=(CALL,), takes_part=True, fed_by=("x", "y"), bypassed_by=(), outside=("multiply",))
PROGRAM = Evidence(
    loops=(LOOP,),
    branches=(),
    operations={"while": 1, "add": 3, "dot_general": 2},
    copies=1,
    axes={4: 800.0},
    equations=40,
    temporary_bytes=2**20,
    flops=1000.0,
    kernels=KERNELS,
)


def facts(evidence: Evidence | None = None, **calls: int) -> Facts:
    """Facts whose reference is PROGRAM with a branch as well."""
    reference = replace(PROGRAM, branches=(BRANCH,))
    return Facts(numbers={"n": 8, "N": 64}, evidence=evidence or PROGRAM, reference=reference, calls=calls)


def forbidding(lines: dict[str, int]) -> Facts:
    """Facts of a process that saw these functions called, each in this line."""
    return replace(facts(), forbidden=lines)


def source(text: str) -> Facts:
    return replace(facts(), source=text)


def with_loop(**changes: Any) -> Facts:
    return facts(replace(PROGRAM, loops=(replace(LOOP, **changes),)))


def with_branch(**changes: Any) -> Facts:
    return facts(replace(PROGRAM, branches=(replace(BRANCH, **changes),)))


def with_kernels(**changes: Any) -> Facts:
    return facts(replace(PROGRAM, kernels=replace(KERNELS, **changes)))


def with_program(**changes: Any) -> Facts:
    return facts(replace(PROGRAM, **changes))
