"""A statement in the order of the page: why in two lines, the task, its function, examples and background.

Authors write the sections in another order (docs/problem-format.md). A statement without a section "Problem" stays as
it is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from app.catalog.parameter import FUNCTION, Described
from app.catalog.query import ProblemDetail

TASK, INPUTS, OUTPUT = "Problem", "Inputs", "Output"
WHY = "Why this matters"
BACKGROUND = ("Worked example", "Common pitfalls", WHY)
MAX_LEAD = 200  # characters: two lines of the page
# A line that begins a list, a quotation, a table or code.
_BLOCK = re.compile(r"^\s*(?:[-*+]\s|\d+[.)]\s|>|\||```|~~~)", re.MULTILINE)
_HEADING = re.compile(r"##\s+(.+?)\s*#*\s*")
_FENCE = re.compile(r"\s*(```|~~~)")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`$*])")
_FIGURE = re.compile(r"^!\[[^\[\]]*\]\([^()]*\)$\n*", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Markdown. `why`, `inputs` and `output` have no heading."""

    task: str
    why: str = ""
    inputs: str = ""
    output: str = ""
    background: str = ""


def arrange_statement(problem: ProblemDetail) -> Statement:
    return _arrange(problem.statement)


def name_function(name: str, described: Described) -> str | None:
    """Return what an argument is that is a function, such as `function(t, y)`. None for another type."""
    if described.type != FUNCTION:
        return None
    call = re.search(rf"\b{re.escape(name)}(\([\w, ]+\))", described.doc or "")
    return f"{FUNCTION}{call[1] if call else ''}"


def _arrange(text: str) -> Statement:
    parts: dict[str, list[str]] = {name: [] for name in (TASK, INPUTS, OUTPUT, *BACKGROUND)}
    here, found = TASK, set()
    for name, section in _sections(text):
        here = name if name in parts else here  # another section stays with the one before
        found.add(name)
        body = section.partition("\n")[2] if name in (INPUTS, OUTPUT) else section
        parts[here].append(body)
    if TASK not in found:
        return Statement(task=text)
    joined = {name: "\n\n".join(part.strip() for part in sections) for name, sections in parts.items()}
    why, joined[WHY] = _take_lead(joined[WHY])
    background = "\n\n".join(filter(None, (joined[name] for name in BACKGROUND)))
    return Statement(task=joined[TASK], why=why, inputs=joined[INPUTS], output=joined[OUTPUT], background=background)


def _take_lead(section: str) -> tuple[str, str]:
    """Return the first sentences and the figure of the section "Why this matters", and what is left of it.

    Sections of other names may follow it.
    """
    text = section.partition("\n")[2].strip()
    (_, own), *others = _sections(text)
    figure = _FIGURE.search(own)
    if figure:
        own = own[: figure.start()] + own[figure.end() :]
    lead, rest = _split_lead(own.strip())
    why = "\n\n".join(filter(None, (lead, figure[0].strip() if figure else "")))
    more = f"## {'More on why it matters' if why else WHY}\n\n{rest}" if rest else ""
    return why, "\n\n".join(filter(None, (more, *(other.strip() for _, other in others))))


def _split_lead(text: str) -> tuple[str, str]:
    """Return the first sentences of the first paragraph, and the rest. A list or code has no sentences."""
    first, _, rest = text.partition("\n\n")
    if _BLOCK.search(first):
        return "", text
    lead, *others = _SENTENCE_END.split(" ".join(first.split()))
    while others and len(f"{lead} {others[0]}") <= MAX_LEAD:
        lead = f"{lead} {others.pop(0)}"
    return lead, "\n\n".join(filter(None, (" ".join(others), rest.strip())))


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield each section with its heading. The text before the first one has no name."""
    name, lines, in_fence = "", list[str](), False
    for line in text.split("\n"):
        in_fence ^= _FENCE.match(line) is not None
        heading = None if in_fence else _HEADING.fullmatch(line)
        if heading:
            yield name, "\n".join(lines)
            name, lines = heading[1], []
        lines.append(line)
    yield name, "\n".join(lines)
