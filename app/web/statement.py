"""A statement in the order of the page: the task first, then its function, then examples and background.

Authors write the sections in another order (docs/problem-format.md). The table of the section "Inputs" joins the table
of the function's parameters. A statement without a section "Problem" stays as it is.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from app.catalog.parameter import FUNCTION, Described
from app.catalog.query import ProblemDetail

TASK, INPUTS, OUTPUT = "Problem", "Inputs", "Output"
BACKGROUND = ("Worked example", "Common pitfalls", "Why this matters")
_HEADING = re.compile(r"##\s+(.+?)\s*#*\s*")
_FENCE = re.compile(r"\s*(```|~~~)")
_CELL_END = re.compile(r"(?<!\\)\|")
_NAME = re.compile(r"`([^`]+)`")
# Commas in code, formulas and brackets separate no parts of a sentence.
_PART = re.compile(r"(?:`[^`]*`|\$[^$]*\$|\([^()]*\)|,(?! )|[^,])+")
_RELATIVE = ("which ", "where ", "with ")
_ARTICLES = frozenset({"a", "an", "the"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Markdown. `inputs` and `output` have no heading. `meanings`: what the author's table says, by parameter.

    `types`: what its column of types, or else of dtypes, says.
    """

    task: str
    inputs: str = ""
    output: str = ""
    background: str = ""
    meanings: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)


def arrange_statement(problem: ProblemDetail) -> Statement:
    names = {each.name for each in (*problem.parameters, *problem.inputs)}
    return _arrange(problem.statement, frozenset(names))


def explain_parameter(doc: str | None, meaning: str, dtype: str | None = None) -> str:
    """Join both explanations, without the clauses and parts of clauses whose words the other or the dtype has."""
    if _words(doc or "") <= _words(meaning):
        return meaning
    first, *others = (doc or "").split(";")
    own = [first, *(clause.strip() for clause in others if not _words(clause) <= _words(meaning))]
    said = _words(" ".join([*own, dtype or ""]))
    new = [_drop_said(clause.strip(), said) for clause in meaning.split(";") if not _words(clause) <= said]
    return "; ".join([*own, *new])


def _drop_said(clause: str, said: set[str]) -> str:
    """Drop the first parts between commas whose words are said, except what a later part belongs to."""
    parts = [part.strip() for part in _PART.findall(clause)]
    while len(parts) > 1 and not parts[1].startswith(_RELATIVE) and _words(parts[0]) <= said:
        del parts[0]
    return ", ".join(parts)


def name_object(name: str, described: Described, statement: Statement) -> str | None:
    """Return what an argument is that no case can give, such as `function(t, y)`. None without a better word."""
    word = described.type if described.type == FUNCTION else statement.types.get(name, "").strip("`")
    if described.type not in ("object", FUNCTION) or not word or word == "–":
        return None
    call = re.search(rf"\b{re.escape(name)}(\([\w, ]+\))", f"{described.doc} {statement.meanings.get(name)}")
    return f"{word}{call[1]}" if call and word == FUNCTION else word


@lru_cache(maxsize=256)
def _arrange(text: str, names: frozenset[str]) -> Statement:
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
    meanings, types, inputs = _take_table(joined[INPUTS], names)
    background = "\n\n".join(filter(None, (joined[name] for name in BACKGROUND)))
    return Statement(
        task=joined[TASK], inputs=inputs, output=joined[OUTPUT], background=background, meanings=meanings, types=types
    )


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


def _take_table(text: str, names: Collection[str]) -> tuple[dict[str, str], dict[str, str], str]:
    """Return meanings and types by name and the text without its table, or the whole text if it has another table."""
    lines = text.split("\n")
    rows = [(at, _cells(line)) for at, line in enumerate(lines) if line.startswith("|")]
    if len(rows) < 3 or rows[-1][0] - rows[0][0] != len(rows) - 1:
        return {}, {}, text
    head = [cell.lower() for cell in rows[0][1]]
    meanings = {name: cells[-1] for _, cells in rows[2:] for name in _NAME.findall(cells[0])}
    if head[0] != "name" or head[-1] != "meaning" or not meanings.keys() <= set(names):
        return {}, {}, text
    place = next((head.index(word) for word in ("type", "dtype") if word in head), None)
    types = {name: cells[place] for _, cells in rows[2:] for name in _NAME.findall(cells[0])} if place else {}
    return meanings, types, "\n".join(lines[: rows[0][0]] + lines[rows[-1][0] + 1 :]).strip()


def _cells(row: str) -> list[str]:
    return [cell.replace("\\|", "|").strip() for cell in _CELL_END.split(row.strip().strip("|"))]


def _words(text: str) -> set[str]:
    """Return the words in singular, without articles."""
    words = re.findall(r"[\w.]*\w", text.lower())
    return {word.removesuffix("s") or word for word in words} - _ARTICLES
