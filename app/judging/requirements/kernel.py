"""`kernel`: the answer comes from kernels that the student wrote, which are no larger and read no more than allowed."""

from collections.abc import Collection, Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, PrivateAttr

from app.judging.options import Integer, Model, Number
from app.judging.requirement import NOT_TRIED, Basis, Facts, Kernels, Name, Requirement, at_line

EXPECTED = "a kernel that computes the answer"
KIB = 1024


class KernelLimits(Model):
    """`max_block_bytes`: of all blocks of one program together. `max_kernels`: how many may run. `max_reads`: how often
    all programs together may read each parameter of `through`, or each parameter if there are none. `through`:
    parameters that reach the answer only through kernels.
    """

    max_block_bytes: Annotated[Integer, Field(ge=1, le=2**40)] | None = None
    max_kernels: Annotated[Integer, Field(ge=1, le=1000)] | None = None
    max_reads: Annotated[Number, Field(ge=1, le=1_000_000)] | None = None
    through: Annotated[tuple[Name, ...], Field(max_length=50)] = ()


class Kernel(Requirement):
    """Evidence on Triton's kernels comes from watching them, and evidence on Pallas's from the program."""

    kernel: KernelLimits
    _framework: Literal["pallas", "triton"] = PrivateAttr("pallas")

    @property
    def basis(self) -> Basis:
        return "calls" if self._framework == "triton" else "program"

    def for_frameworks(self, frameworks: Collection[str]) -> Self:
        own = self.model_copy()
        own._framework = "triton" if "triton" in frameworks else "pallas"
        return own

    @property
    def frameworks(self) -> tuple[str, ...]:
        return (self._framework,)

    @property
    def parameters(self) -> Mapping[str, tuple[str, ...]]:
        return {"kernel.through": self.kernel.through}

    @property
    def evidence(self) -> str:
        return f"{super().evidence}{', for a GPU and for an interpreter' if self.basis == 'program' else ''}"

    @property
    def rule(self) -> str:
        limits, names = self.kernel, " and ".join(self.kernel.through)
        number = "a kernel" if limits.max_kernels is None else counted(limits.max_kernels)
        rule = f"compute the answer{names and f' from {names}'} with {number}"
        if limits.max_block_bytes is not None:
            rule += f", with blocks of at most {size(limits.max_block_bytes)} in each program"
        if limits.max_reads is not None:
            rule += f", and read {names or 'each parameter'} at most {limits.max_reads:g} times"
        return rule

    def judge(self, facts: Facts) -> tuple[str, str] | None:
        if self.basis == "calls":
            return self._judge_watched(facts)
        if facts.evidence is None:
            return EXPECTED, NOT_TRIED
        kernels, reference = facts.evidence.kernels, facts.reference.kernels if facts.reference else None
        if kernels is None:
            return EXPECTED, "no pallas_call"
        return self._fault(kernels, reference.outside if reference else ()) or self._excess(kernels)

    def _judge_watched(self, facts: Facts) -> tuple[str, str] | None:
        if facts.touched:
            return EXPECTED, f"{at_line(facts.touched)}, which could hide what computes the answer"
        if facts.kernels is None:
            return EXPECTED, "no launch of a kernel"
        return self._fault(facts.kernels, ()) or self._excess(facts.kernels)

    def _fault(self, kernels: Kernels, allowed: tuple[str, ...]) -> tuple[str, str] | None:
        if not (kernels.takes_part and kernels.fed_by):
            return EXPECTED, "a kernel that the answer does not depend on"
        if beside := [name for name in self.kernel.through if name in kernels.bypassed_by]:
            return EXPECTED, f"a kernel, but also a path from {' and '.join(beside)} to the answer outside of it"
        if missing := [name for name in self.kernel.through if name not in kernels.fed_by]:
            return EXPECTED, f"a kernel that does not read {' and '.join(missing)}"
        if others := [name for name in kernels.outside if name not in allowed]:
            return EXPECTED, f"a kernel, but also {', '.join(others)} outside of it"
        return None

    def _excess(self, kernels: Kernels) -> tuple[str, str] | None:
        limits = self.kernel
        launches = sum(call.times for call in kernels.calls)
        if limits.max_kernels is not None and launches > limits.max_kernels:
            return counted(limits.max_kernels), f"{launches}"
        most = max((call.block_bytes for call in kernels.calls), default=0)
        if limits.max_block_bytes is not None and most > limits.max_block_bytes:
            expected = f"blocks of at most {size(limits.max_block_bytes)} for each program"
            return expected, f"{size(most)}; choose smaller blocks and a larger grid"
        if limits.max_reads is None:
            return None
        for name in limits.through or kernels.fed_by:
            reads = sum(call.reads_of(name) for call in kernels.calls)
            if reads > limits.max_reads:
                return f"at most {limits.max_reads:g} reads of {name}", f"{reads:.3g}"
        return None


def counted(number: int) -> str:
    return "one kernel" if number == 1 else f"at most {number} kernels"


def size(number: int) -> str:
    return f"{number / KIB:,.4g} KiB" if number >= KIB else f"{number:,} bytes"
