"""An author's rules for the leaves of an output: tolerances, checkers and dtype policy."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from app.judging.checker import Checker, DtypePolicy
from app.judging.checkers.closeness import Closeness
from app.judging.leaf import Leaf, Tree, canonical
from app.judging.random_samples import RandomRules
from app.judging.tolerance_comparison import EXACT, Tolerance, default_for

CLOSENESS = Closeness(checker="closeness")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Rules by patterns of leaf paths ("params/*"). A `tolerance` of None means the default of each dtype.

    `accept_lists`: nested lists of numbers may stand for an array. `random`: of the kind of answer `random`.
    `optional`: keys that an answer may leave out.
    """

    tolerance: Tolerance | None = None
    leaves: Mapping[str, Tolerance] = field(default_factory=dict)
    checkers: Mapping[str, Checker] = field(default_factory=dict)
    dtype_policy: DtypePolicy = "kind"
    accept_lists: bool = False
    random: RandomRules | None = None
    optional: frozenset[str] = frozenset()

    def view(self, tree: Tree) -> Tree:
        """Return the values of an answer that are compared and shown."""
        return self.random.view(tree) if self.random else tree


def tolerance_for(path: str, expected: Leaf, rules: Rules) -> Tolerance:
    """Return the tolerance of the leaf's path, else of the longest matching pattern, the output, or the dtype."""
    if expected.kind in ("bool", "text"):
        return EXACT
    pattern = find_pattern(path, rules.leaves)
    if pattern is not None:
        return rules.leaves[pattern]
    if rules.tolerance is None or expected.kind == "int":
        return default_for(canonical(expected.dtype))
    return rules.tolerance


def checker_for(path: str, rules: Rules) -> Checker:
    """Return the checker of the leaf's path or of the longest matching pattern, else closeness."""
    pattern = find_pattern(path, rules.checkers)
    return CLOSENESS if pattern is None else rules.checkers[pattern]


def find_pattern(path: str, patterns: Iterable[str]) -> str | None:
    matching = [pattern for pattern in patterns if pattern == path or fnmatchcase(path, pattern)]
    return max(matching, key=lambda pattern: (pattern == path, len(pattern), pattern), default=None)
