"""Hidden inputs that students can read, or know already."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.catalog.case import Array, Case, Drawn
from app.catalog.source import Source
from app.catalog.verification_report import Finding
from app.verification.lint.paper import Paper, at

NUMBER = re.compile(r"(?<![A-Za-z_0-9.])[-−]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
# Three numbers in a row may stand somewhere by chance; four of which not all are small whole numbers, hardly.
LEAST_NUMBERS, SURE_NUMBERS = 3, 4
LEAST_CHARACTERS = 8


def find(paper: Paper) -> Iterator[Finding]:
    cases = list(enumerate(paper.package.manifest.cases))
    samples = [case for _, case in cases if case.visibility == "sample"]
    hidden = [(index, case) for index, case in cases if case.visibility == "hidden"]
    for _, case in hidden:
        yield from _shown(paper, case, samples)
        if twin := next((sample for sample in samples if case.inputs and sample.inputs == case.inputs), None):
            message = f"hidden case {case.name} has the inputs of sample {twin.name}"
            yield paper.finding("warning", ("cases",), message, "remove it, or change its inputs")
    if hidden and not any(_is_drawn(case) for _, case in hidden):
        message = "no hidden case draws anything: all variants are the same, and an answer seen once can be replayed"
        yield paper.finding("warning", ("cases",), message, "draw inputs, as in `x: {draw: normal, shape: [8]}`")


def _shown(paper: Paper, case: Case, samples: Sequence[Case]) -> Iterator[Finding]:
    known = [run for sample in samples for run in _runs(sample.inputs or {})]
    for run in _runs(case.inputs or {}):
        if any(_place(run, other) is not None for other in known):
            continue
        for source in paper.public_texts():
            if (line := _line_of(run, source)) is not None:
                is_sure = len(run) >= SURE_NUMBERS
                values = ", ".join(f"{number:g}" for number in run[:6])
                message = f"the inputs {values} of hidden case {case.name} stand here"
                yield at(source, line, "error" if is_sure else "warning", message, "use others in the hidden case")
    for text in _texts(case.inputs or {}):
        for source in paper.public_texts():
            if text in source.text and not any(text in _texts(sample.inputs or {}) for sample in samples):
                line = source.text.count("\n", 0, source.text.index(text)) + 1
                yield at(source, line, "error", f"a text of hidden case {case.name} stands here", "use another there")


def _runs(value: Any) -> Iterator[list[float]]:
    """Every array that is written out, flat; none whose numbers are all the same."""
    if isinstance(value, Drawn) or value is None:
        return
    if isinstance(value, Array):
        yield from _runs(value.array)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _runs(item)
    elif isinstance(value, list | tuple):
        numbers = _flat(value)
        if numbers is None:
            for item in value:
                yield from _runs(item)
        elif len(numbers) >= LEAST_NUMBERS and len(set(numbers)) > 1:
            yield numbers


def _flat(value: Any) -> list[float] | None:
    """None when something else than numbers is in it."""
    if isinstance(value, bool) or not isinstance(value, int | float | list | tuple):
        return None
    if isinstance(value, int | float):
        return [float(value)]
    parts = [_flat(item) for item in value]
    return None if None in parts else [number for part in parts if part is not None for number in part]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str) and len(value) >= LEAST_CHARACTERS:
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def _line_of(run: list[float], source: Source) -> int | None:
    found = [(float(each[0].replace("−", "-")), each.start()) for each in NUMBER.finditer(source.text)]
    place = _place(run, [number for number, _ in found])
    return None if place is None else source.text.count("\n", 0, found[place][1]) + 1


def _place(run: list[float], within: list[float]) -> int | None:
    last = len(within) - len(run)
    return next((start for start in range(last + 1) if within[start : start + len(run)] == run), None)


def _is_drawn(case: Case) -> bool:
    return case.generate is not None or any(map(_holds_draw, (case.inputs or {}).values()))


def _holds_draw(value: Any) -> bool:
    if isinstance(value, Drawn):
        return True
    items = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return any(map(_holds_draw, items))
