"""`uses`: a loop of a given length, a choice between branches, or one batched program that computes the answer."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from app.judging.checker import Objection
from app.judging.requirement import NOT_TRIED, Conditional, Count, Evidence, Facts, Loop, Name, Requirement, plural

Structure: TypeAlias = Literal["scan", "fori", "while", "cond", "vmap"]

# Compilers remove a loop of one step, so none can be required.
LEAST_LENGTH = 2
# The least share of the arithmetic in the loop, relative to the reference's loop.
LEAST_SHARE = 0.5
# The most additional arithmetic outside a loop with `through`, as a share of the arithmetic in the reference's loop. A
# loop that only copies the parameters leaves all of it for afterwards.
MOST_OUTSIDE = 0.4
# The least change of the reference's answer without a step of its loop for this test to apply, and the share of that
# change that a submission's answer must show.
CLEAR_EFFECT, LEAST_EFFECT = 1e-3, 0.1


class Uses(Requirement):
    """A required structure.

    `length`: the number of steps, or the batch size. `through`: parameters that reach the answer only through it.
    `slices`: parameters of which each step reads only its own slice. `scan` and `fori` are the same loop in a program,
    so they are judged alike.
    """

    uses: Structure
    length: Count | None = None
    through: Annotated[tuple[Name, ...], Field(max_length=50)] = ()
    slices: Annotated[tuple[Name, ...], Field(max_length=50)] = ()

    @property
    def names(self) -> Mapping[str, str]:
        return {"length": self.length} if isinstance(self.length, str) else {}

    @property
    def parameters(self) -> Mapping[str, tuple[str, ...]]:
        return {"through": self.through, "slices": self.slices}

    def find_contradiction(self) -> Objection | None:
        if self.uses == "while" and self.length is not None:
            return Objection(
                key="length", message="does not apply to while, whose length depends on values", remedy="remove it"
            )
        if self.uses == "cond" and self.length is not None:
            return Objection(key="length", message="does not apply to cond, which has no steps", remedy="remove it")
        if self.slices and self.uses not in ("scan", "fori"):
            message = f"does not apply to {self.uses}, which does not count its steps"
            return Objection(key="slices", message=message, remedy="remove it, or ask for scan or fori")
        if self.through and self.uses == "vmap":
            return Objection(
                key="through", message="does not apply to vmap, where dataflow can't be separated", remedy="remove it"
            )
        return None

    @property
    def rule(self) -> str:
        length = "" if self.length is None else f" of length {self.length}"
        names = dict.fromkeys((*self.through, *self.slices))
        return f"use {self.uses}{length}{f' for {_listed(list(names))}' if names else ''}"

    def judge(self, facts: Facts) -> tuple[str, str] | None:
        if facts.evidence is None:
            return self.uses, NOT_TRIED
        length = self.steps(facts)
        if self.uses == "vmap":
            return _judge_batch(facts.evidence, facts.reference, length)
        if self.uses == "cond":
            own = facts.reference.branches if facts.reference else ()
            faults = [self._fault(branch, own) for branch in facts.evidence.branches]
            return _first(faults, "one choice between branches", "none")
        if length is not None and length < LEAST_LENGTH:
            return None
        known = fitting(facts.reference, length)
        faults = [self._loop_fault(loop, known, facts) for loop in fitting(facts.evidence, length)]
        return _first(faults, _one_loop(length), _described(facts.evidence, length))

    def steps(self, facts: Facts) -> int | None:
        return None if self.length is None else facts.number(self.length)

    def _loop_fault(self, loop: Loop, reference: Sequence[Loop], facts: Facts) -> str | None:
        whole = _listed([name for name in self.slices if name in loop.whole])
        if whole:
            return f"a loop in which every step reads all of {whole}"
        if loop.share < LEAST_SHARE * max((known.share for known in reference), default=0.0):
            return f"a loop that does only {loop.share:.0%} of the arithmetic"
        if self.through and _does_much_outside(loop, reference, facts):
            return "a loop, but too much arithmetic outside it"
        return self._fault(loop, reference)

    def _fault(self, one: Loop | Conditional, reference: Sequence[Loop | Conditional]) -> str | None:
        kind = "loop" if isinstance(one, Loop) else "choice"
        if not (one.takes_part and one.fed_by):
            return f"a {kind} that the answer does not depend on"
        beside = _listed([name for name in self.through if name in one.bypassed_by])
        if beside:
            return f"a {kind}, but {beside} also reaches the answer by a path outside the {kind}"
        if one.effect is None or one.effect >= LEAST_EFFECT * clear_effect(reference):
            return None
        part = "without one of its steps" if isinstance(one, Loop) else "with only one of its branches"
        return f"a {kind} that gives the same answer {part}"


def _does_much_outside(loop: Loop, reference: Sequence[Loop], facts: Facts) -> bool:
    """Compare FLOPs and not shares, since useless work in the loop could change a share."""
    if facts.reference is None or not reference:
        return False
    known = min(one.outside for one in reference)
    return loop.outside > known + MOST_OUTSIDE * (facts.reference.flops - known)


def clear_effect(loops: Sequence[Loop | Conditional]) -> float:
    """Return the reference's largest effect, or 0.0 if it is too small to measure by."""
    effect = max((loop.effect or 0.0 for loop in loops), default=0.0)
    return effect if effect >= CLEAR_EFFECT else 0.0


def fitting(evidence: Evidence | None, length: int | None) -> list[Loop]:
    """Return the loops of that length, or all loops for None."""
    return [loop for loop in evidence.loops if length is None or loop.length == length] if evidence else []


def _first(faults: Sequence[str | None], expected: str, otherwise: str) -> tuple[str, str] | None:
    """Return None if a candidate has no fault, else the first fault, or `otherwise` without candidates."""
    if None in faults:
        return None
    return expected, faults[0] if faults and faults[0] else otherwise


def _judge_batch(evidence: Evidence, reference: Evidence | None, length: int | None) -> tuple[str, str] | None:
    expected = "one batched computation" + ("" if length is None else f" over {length:,}")
    if length is not None and length < LEAST_LENGTH:
        return None
    looped = any(loop.takes_part for loop in fitting(evidence, length))
    looped = looped or evidence.unbounded > (reference.unbounded if reference else 0)
    if looped or evidence.copies >= (length or LEAST_LENGTH):
        return expected, _described(evidence, length)
    if length is None:
        return None
    along, least = evidence.axes.get(length, 0.0), LEAST_SHARE * (reference.axes.get(length, 0.0) if reference else 0.0)
    if along and along >= least:
        return None
    return expected, f"{'little' if along else 'no'} arithmetic along an axis of {length:,}"


def _one_loop(length: int | None) -> str:
    return "one loop" if length is None else f"one loop of {plural(length, 'step')}"


def _described(evidence: Evidence, length: int | None) -> str:
    """Describe the program's loops, or its repeated copies of a body."""
    if evidence.loops:
        return _listed([_loop(loop) for loop in evidence.loops])
    copies = evidence.copies
    # A body may contain an operation several times.
    copies = length if length and copies % length == 0 else copies
    return f"{copies:,} copies of the body" if copies > 1 else "no loop"


def _loop(loop: Loop) -> str:
    return "a loop of unknown length" if loop.length is None else f"a loop of {plural(loop.length, 'step')}"


def _listed(words: Sequence[str]) -> str:
    return " and ".join(words)
