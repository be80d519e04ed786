"""Recognise the known mistake that a wrong submission makes, and find its hint.

An author ships wrong solutions with the package, and the header of each describes its mistake. A submission makes that
mistake if it gives the same wrong answers: in at least two cases, and in every judged case where that solution is
wrong. So an answer that two mistakes share gives no hint, and neither does an answer that is nearly right.
"""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass

LEAST_CASES = 2
HINT_CHARACTERS = 500
# In units of the tolerance: a mistake's answer that is closer than this to the expected one proves nothing.
FAR = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """The cases in which a submission and a known mistake give the same wrong answer.

    `is_refuted`: in some case the mistake's answer is wrong and the submission's answer differs from it.
    """

    cases: frozenset[str]
    is_refuted: bool


def recognise(likenesses: Mapping[str, Likeness]) -> str | None:
    """Return the mistake that explains the most, or None if another one explains cases that it does not."""
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
    """Return the text after "Mistake:" in the header of a wrong solution, in one line; empty if there is none."""
    header = " ".join(_header(source).split())
    return re.sub(r"^Mistake:\s*", "", header, flags=re.IGNORECASE)[:HINT_CHARACTERS].strip()


def _header(source: str) -> str:
    """Return the first paragraph of the docstring, or the comment at the start of the source."""
    text = source.removeprefix("\ufeff").lstrip()
    if text.startswith("#"):
        lines = re.match(r"(#.*\n?)+", text)
        return "\n".join(line.lstrip("#") for line in (lines[0] if lines else "").splitlines())
    try:
        docstring = ast.get_docstring(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError):
        return ""
    return (docstring or "").split("\n\n")[0]
