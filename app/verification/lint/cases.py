"""Lint rules for cases: hidden inputs stay hidden, and tolerances fit the output's leaves."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.catalog.case import Array, Case, Drawn
from app.catalog.source import Source
from app.catalog.verification_report import Finding, Severity
from app.judging.comparison import find_pattern
from app.judging.leaf import leaves, path_text
from app.verification.package_texts import PackageTexts, finding_at
from sandbox.guest.codec import decode

NUMBER = re.compile(r"(?<![A-Za-z_0-9.])[-−]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
# Three equal numbers in a row can be a coincidence; four that are not all the same hardly can.
LEAST_NUMBERS, SURE_NUMBERS = 3, 4
LEAST_CHARACTERS = 8


def check_hidden_cases(texts: PackageTexts) -> Iterator[Finding]:
    if all(case.visibility == "sample" for case in texts.manifest.cases):
        message = "no case is hidden, so a solution that returns the samples' answers is accepted"
        remedy = "add cases without `visibility: sample`, and draw their inputs"
        yield texts.finding("error", ("cases",), message, remedy)


def check_leaked_inputs(texts: PackageTexts) -> Iterator[Finding]:
    cases = list(enumerate(texts.manifest.cases))
    samples = [case for _, case in cases if case.visibility == "sample"]
    hidden = [(index, case) for index, case in cases if case.visibility == "hidden"]
    for _, case in hidden:
        yield from _leaks_of(texts, case, samples)
        if twin := next((sample for sample in samples if case.inputs and sample.inputs == case.inputs), None):
            message = f"hidden case {case.name} has the same inputs as sample {twin.name}"
            yield texts.finding("warning", ("cases",), message, "remove it, or change its inputs")
    if hidden and not any(_is_drawn(case) for _, case in hidden):
        message = "no hidden case draws its inputs, so all variants are equal and a student can replay a seen answer"
        yield texts.finding("warning", ("cases",), message, "draw inputs, as in `x: {draw: normal, shape: [8]}`")


def _leaks_of(texts: PackageTexts, case: Case, samples: Sequence[Case]) -> Iterator[Finding]:
    known = [run for sample in samples for run in _number_arrays(sample.inputs or {})]
    for run in _number_arrays(case.inputs or {}):
        if any(_index_of(run, other) is not None for other in known):
            continue
        for source in texts.public_texts():
            if (line := _line_with_numbers(run, source)) is not None:
                values = ", ".join(f"{number:g}" for number in run[:6])
                message = f"the inputs {values} of hidden case {case.name} are shown here"
                severity: Severity = "error" if len(run) >= SURE_NUMBERS else "warning"
                yield finding_at(source, line, severity, message, "use other numbers in the hidden case")
    for text in _long_texts(case.inputs or {}):
        for source in texts.public_texts():
            if text in source.text and not any(text in _long_texts(sample.inputs or {}) for sample in samples):
                line = source.text.count("\n", 0, source.text.index(text)) + 1
                message = f"a text of hidden case {case.name} is shown here"
                yield finding_at(source, line, "error", message, "use another text in the hidden case")


def _number_arrays(value: Any) -> Iterator[list[float]]:
    """Yield each literal array as a flat list. Arrays of one repeated number are left out."""
    if isinstance(value, Drawn) or value is None:
        return
    if isinstance(value, Array):
        yield from _number_arrays(value.array)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _number_arrays(item)
    elif isinstance(value, list | tuple):
        numbers = _flatten(value)
        if numbers is None:
            for item in value:
                yield from _number_arrays(item)
        elif len(numbers) >= LEAST_NUMBERS and len(set(numbers)) > 1:
            yield numbers


def _flatten(value: Any) -> list[float] | None:
    """Return the numbers of nested lists, or None if they contain anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | list | tuple):
        return None
    if isinstance(value, int | float):
        return [float(value)]
    parts = [_flatten(item) for item in value]
    return None if None in parts else [number for part in parts if part is not None for number in part]


def _long_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str) and len(value) >= LEAST_CHARACTERS:
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _long_texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _long_texts(item)


def _line_with_numbers(run: list[float], source: Source) -> int | None:
    found = [(float(each[0].replace("−", "-")), each.start()) for each in NUMBER.finditer(source.text)]
    index = _index_of(run, [number for number, _ in found])
    return None if index is None else source.text.count("\n", 0, found[index][1]) + 1


def _index_of(run: list[float], within: list[float]) -> int | None:
    last = len(within) - len(run)
    return next((start for start in range(last + 1) if within[start : start + len(run)] == run), None)


def _is_drawn(case: Case) -> bool:
    return case.generate is not None or any(map(_holds_draw, (case.inputs or {}).values()))


def _holds_draw(value: Any) -> bool:
    if isinstance(value, Drawn):
        return True
    items = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return any(map(_holds_draw, items))


def check_leaf_patterns(texts: PackageTexts) -> Iterator[Finding]:
    tolerance = texts.manifest.tolerance
    if tolerance is None or not tolerance.leaves or not texts.cases:
        return
    paths = {path_text(path) for case in texts.cases for path, _ in leaves(decode(case.expected))}
    used = {find_pattern(path, tolerance.leaves) for path in paths}
    for pattern in tolerance.leaves:
        if pattern not in used:
            known = ", ".join(sorted(paths - {""})) or "the whole output"
            message = f"the tolerance of {pattern} matches no leaf of any case"
            yield texts.finding(
                "warning", ("tolerance", "leaves", pattern), message, f"correct or remove it; the leaves are {known}"
            )
