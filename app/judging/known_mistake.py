"""Recognition of known mistakes in wrong submissions.

An author ships wrong solutions with the package, and the header of each describes its mistake. A submission makes that
mistake if it matches the wrong solution's outputs in at least two cases where these are wrong, and in all such cases
that were judged. An output that two mistakes share gives no hint, and neither does an output that is almost correct.
"""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass

from app.judging.printable_text import lines_of

LEAST_CASES = 2
HINT_CHARACTERS = 500
# In tolerances: an output of a mistake that is closer than this to the expected one is no evidence.
FAR = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """The cases in which a submission gives the same wrong output as a known mistake.

    `is_refuted`: in some case the mistake's output is wrong and the submission's output differs from it.
    """

    cases: frozenset[str]
    is_refuted: bool


def recognise(likenesses: Mapping[str, Likeness]) -> str | None:
    """Return the mistake that explains the most cases, if its cases include those of all other candidates."""
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
    """Return the header of a wrong solution after "Mistake:" as one line, or an empty text."""
    header = " ".join(_header(source).split())
    return re.sub(r"^Mistake:\s*", "", header, flags=re.IGNORECASE)[:HINT_CHARACTERS].strip()


def _header(source: str) -> str:
    """Return the first paragraph of the docstring, or the source's first comment."""
    text = source.removeprefix("\ufeff").lstrip()
    if text.startswith("#"):
        lines = re.match(r"(#.*\n?)+", text)
        return "\n".join(line.lstrip("#") for line in lines_of(lines[0] if lines else ""))
    try:
        docstring = ast.get_docstring(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError):
        return ""
    return (docstring or "").split("\n\n")[0]
