"""Which known mistake a wrong submission makes, and in which words.

An author ships wrong solutions with the package, and the header of each says what is wrong with it. A submission makes
that mistake when it answers as that solution does: in at least two cases in which that is wrong, and in every such case
that was judged. So what two mistakes have in common gives no hint, and neither does an answer that is nearly right.
"""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass

LEAST_CASES = 2
HINT_CHARACTERS = 500
# Of the tolerance: where a mistake's answer is as close as that to the right one, agreeing with it says nothing.
FAR = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """Of a submission to a known mistake: the cases in which both give the same wrong answer.

    `is_refuted`: in some case the mistake's answer is wrong, and the submission's is another.
    """

    cases: frozenset[str]
    is_refuted: bool


def recognise(likenesses: Mapping[str, Likeness]) -> str | None:
    """The one mistake that explains the most, or none: of several, all but one must explain less of the same."""
    possible = {
        name: likeness.cases
        for name, likeness in likenesses.items()
        if not likeness.is_refuted and len(likeness.cases) >= LEAST_CASES
    }
    best = max(possible, key=lambda name: len(possible[name]), default=None)
    if best is None or any(not cases < possible[best] for name, cases in possible.items() if name != best):
        return None
    return best


def hint_of(source: str) -> str:
    """What the header of a wrong solution says after "Mistake:", in one line; empty when it has none."""
    header = " ".join(_header(source).split())
    return re.sub(r"^Mistake:\s*", "", header, flags=re.IGNORECASE)[:HINT_CHARACTERS].strip()


def _header(source: str) -> str:
    """The first paragraph of the docstring, or the comment that the source begins with."""
    text = source.removeprefix("\ufeff").lstrip()
    if text.startswith("#"):
        lines = re.match(r"(#.*\n?)+", text)
        return "\n".join(line.lstrip("#") for line in (lines[0] if lines else "").splitlines())
    try:
        docstring = ast.get_docstring(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError):
        return ""
    return (docstring or "").split("\n\n")[0]
