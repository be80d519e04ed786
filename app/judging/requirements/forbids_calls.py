"""`forbids_calls`: library functions that the solution must not call, such as `torch.softmax` or `numpy.linalg.*`.

The student's own process watches the functions, so the finding is evidence and not proof: hostile code can undo it. It
tells an honest student which line uses the function that the exercise is about. The findings leave that process at
once, so the source can't take them back.
"""

from typing import Annotated

from pydantic import Field, StringConstraints

from app.judging.checker import Objection
from app.judging.requirement import Basis, Facts, Requirement, at_line

# The abbreviations that authors write out of habit.
SHORT = {"F": "torch.nn.functional", "jnp": "jax.numpy", "lax": "jax.lax", "nn": "torch.nn", "np": "numpy"}
FRAMEWORKS = ("flax", "jax", "numpy", "optax", "torch")
FULL_NAME = r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*\.([A-Za-z_][A-Za-z0-9_]*|\*)$"
Pattern = Annotated[str, StringConstraints(pattern=FULL_NAME)]


class ForbidsCalls(Requirement):
    """Full names of functions, or `module.*` for all functions of a module."""

    forbids_calls: Annotated[tuple[Annotated[Pattern, Field(max_length=100)], ...], Field(min_length=1, max_length=50)]

    @property
    def basis(self) -> Basis:
        return "calls"

    @property
    def frameworks(self) -> tuple[str, ...]:
        return tuple(sorted({pattern.partition(".")[0] for pattern in self.forbids_calls}))

    def find_contradiction(self) -> Objection | None:
        for pattern in self.forbids_calls:
            root, _, rest = pattern.partition(".")
            if root not in FRAMEWORKS:
                remedy = (
                    f"write {SHORT[root]}.{rest}" if root in SHORT else f"begin with one of {', '.join(FRAMEWORKS)}"
                )
                return Objection(
                    key="forbids_calls", message=f"contains {pattern}, which is no full name", remedy=remedy
                )
        return None

    @property
    def rule(self) -> str:
        return f"not call {' or '.join(self.forbids_calls)}"

    def judge(self, facts: Facts) -> tuple[str, str] | None:
        expected = f"no call of {' or '.join(self.forbids_calls)}"
        found = {
            name: line
            for name, line in facts.forbidden.items()
            if any(matches(name, pattern) for pattern in self.forbids_calls)
        }
        if found:
            return expected, at_line(found)
        return (expected, f"{at_line(facts.touched)}, which could hide such calls") if facts.touched else None


def matches(name: str, pattern: str) -> bool:
    """Whether a function's full name is the pattern's, or is in its module for `module.*`."""
    return name == pattern or (pattern.endswith(".*") and name.rpartition(".")[0] == pattern.removesuffix(".*"))
