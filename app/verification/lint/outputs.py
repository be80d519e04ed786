"""Lint rules for expected outputs: they are what `returns` declares, and the statement shows the worked example's.

A symbolic size has one value within a case, in the inputs and in the output. With a driver, the output is the driver's
result, which `returns` does not describe.
"""

import re
from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from app.catalog.manifest import Manifest
from app.catalog.parameter import Returned, Returns
from app.catalog.verification_report import Finding
from app.engine.prepare import PreparedCase
from app.judging.leaf import Leaf, Tree, canonical, describe, leaves, path_text, read_leaf, shown
from app.judging.requirement import plural
from app.verification.package_texts import PackageTexts, finding_at
from app.verification.trial import listed_cases
from sandbox.guest.codec import decode

Sizes = dict[str, int]


def check_returns(texts: PackageTexts) -> Iterator[Finding]:
    manifest = texts.manifest
    outputs: dict[str, str] = {}
    inputs: dict[str, str] = {}
    for case in texts.cases:
        sizes, conflict = sizes_of(manifest, decode(case.inputs))
        if conflict:
            inputs[case.name] = conflict
        elif texts.package.runner is None and (told := difference_from(manifest.returns, decode(case.expected), sizes)):
            outputs[case.name] = told
    if inputs:
        message = f"the inputs contradict each other: {_first(inputs)}"
        remedy = "let the arrays of the case fit each other, or give the two sizes different names"
        yield texts.finding("error", ("cases",), message, remedy)
    if outputs:
        message = f"the reference returns {_first(outputs)}"
        remedy = "correct `returns`, which the page shows, or let the reference return that"
        yield texts.finding("error", ("returns",), message, remedy)


def _first(told: Mapping[str, str]) -> str:
    """Return the first case's text, its name, and how many more cases there are."""
    name, text = next(iter(told.items()))
    more = f" and {plural(len(told) - 1, 'more case')}" if len(told) > 1 else ""
    return f"{text} ({name}{more})"


def sizes_of(manifest: Manifest, inputs: Any) -> tuple[Sizes, str]:
    """Return the symbolic sizes of a case's inputs, and the first contradiction between them or an empty text."""
    sizes: Sizes = {}
    conflict = ""
    for parameter in manifest.case_inputs:
        value = inputs.get(parameter.name)
        if not parameter.is_array or not isinstance(value, np.ndarray):
            continue
        for size, length in parameter.sizes(value.shape) or ():
            if isinstance(size, str) and sizes.setdefault(size, length) != length:
                conflict = conflict or f"{size} is {sizes[size]}, but {length} in {parameter.name}"
    return sizes, conflict


def difference_from(returns: Returns, answer: Tree, sizes: Mapping[str, int]) -> str:
    """Return the actual and the declared output, or an empty text if they agree. A case may have no output: None."""
    if answer is None or any(not _difference(each, answer, sizes) for each in returns.alternatives):
        return ""
    return _difference(returns, answer, sizes)


def _difference(returns: Returned, answer: Tree, sizes: Mapping[str, int]) -> str:
    if returns.type in ("list", "dict"):
        fitting = dict if returns.type == "dict" else list | tuple | OrderedDict  # a named tuple
        is_fitting = isinstance(answer, fitting)
        return "" if is_fitting else f"{describe(answer)}; `returns` says {returns.type}"
    if isinstance(answer, dict | list | tuple):
        return f"{describe(answer)}; `returns` says {returns.type}"
    leaf = read_leaf(answer)
    if returns.is_array:
        return _array_difference(returns, leaf, sizes)
    kind = "text" if returns.type == "str" else returns.type
    return "" if leaf.kind == kind and leaf.shape == () else f"{_described(leaf)}; `returns` says {returns.type}"


def _array_difference(returns: Returned, leaf: Leaf, sizes: Mapping[str, int]) -> str:
    declared, known, paired = returns.shape or (), {**sizes}, returns.sizes(leaf.shape)
    fits = paired is not None and all(
        length == (known.setdefault(size, length) if isinstance(size, str) else size) for size, length in paired
    )
    if fits and canonical(leaf.dtype) == returns.dtype:
        return ""
    used = [f"{size} = {sizes[size]}" for size in dict.fromkeys(declared) if isinstance(size, str) and size in sizes]
    where = f" where {', '.join(used)}" if used and not fits else ""
    shape = f"({', '.join(map(str, declared))}{',' * (len(declared) == 1)})"
    return f"{_described(leaf)}; `returns` says shape {shape} and dtype {returns.dtype}{where}"


def _described(leaf: Leaf) -> str:
    return "a text" if leaf.kind == "text" else f"shape {leaf.shape} and dtype {leaf.dtype}"


def check_nan(texts: PackageTexts) -> Iterator[Finding]:
    """Yield a note for each leaf that holds NaN. An output without any number is an error of the reference."""
    found: dict[str, list[str]] = defaultdict(list)
    for case in texts.cases:
        for path, value in leaves(decode(case.expected)):
            leaf = read_leaf(value)
            count = int(np.isnan(leaf.array).sum()) if leaf.kind in ("float", "complex") else 0
            if count:
                found[path_text(path)].append(f"{case.name} ({count} of {plural(leaf.array.size, 'number')})")
    for leaf_path, named in found.items():
        where = f" at {leaf_path}" if leaf_path else ""
        message = f"the expected output holds NaN{where}: {listed_cases(named)}"
        remedy = "let the statement say when NaN is the answer, or change the inputs of these cases"
        yield texts.finding("note", ("cases",), message, remedy)


WORKED_EXAMPLE = "worked_example"
SECTION = re.compile(r"^##\s+Worked example\s*#*\s*$(.*?)(?=^##\s|\Z)", re.M | re.S)
MAX_NUMBERS = 20
LEAST_DIGITS = 3
# A number that agrees so well is shown in full, however few digits it has.
EXACT = 1e-6
_THOUSANDS = re.compile(r"(?<=\d)(?:\{,\}|\\,|,|_)(?=\d{3}(?!\d))")
_PRINTED = re.compile(
    r"(?<![A-Za-z_0-9.])(?:(?P<sign>[-−–])(?P<space>\s?))?(?P<digits>\d+\.?\d*|\.\d+)"
    r"(?:[eE](?P<e>[-+−]?\d+)|\s*(?:\\cdot|\\times|·|×|\*)\s*10\s*(?:\^|\*\*)\s*\{?(?P<ten>[-+−]?\d+)\}?)?"
)


@dataclass(frozen=True, slots=True)
class PrintedNumber:
    """A number in a text. `unit`: of its last digit. `digits`: how many significant ones it has."""

    value: float
    unit: float
    digits: int

    def shows(self, value: float, largest: float) -> bool:
        """Whether this is `value` in full or rounded. `largest`: the size of the output's other numbers."""
        error = abs(value - self.value)
        is_full = error <= EXACT * (abs(value) if self.value else largest)
        is_rounded = self.digits >= LEAST_DIGITS and error <= (0.5 + EXACT) * self.unit
        return is_full or (is_rounded and not isinstance(value, int))


def check_worked_example(texts: PackageTexts) -> Iterator[Finding]:
    """Check that the statement shows each number of a small worked example's output, with three digits or more.

    The worked example is the case of that name, or else each sample of which the section shows all inputs.
    """
    source = texts.sources["statement"]
    section = SECTION.search(source.text)
    samples = [case for case in texts.cases if case.visibility == "sample"]
    if section is None or not samples:
        return
    has_name = samples[0].name == WORKED_EXAMPLE
    examples = samples[:1] if has_name else [case for case in samples if _shows_inputs(section[1], case)]
    shown = _without_inputs(section[1], texts.manifest)
    for case in examples:
        if missing := _missing(shown, decode(case.expected)):
            line = source.text.count("\n", 0, section.start()) + 1
            numbers = ", ".join(dict.fromkeys(missing))
            message = f"the worked example does not show {numbers}, which the output of {case.name} holds"
            remedy = f"correct the example: show each number in full or with {LEAST_DIGITS} or more digits"
            yield finding_at(source, line, "error", message, remedy)


def _shows_inputs(text: str, case: PreparedCase) -> bool:
    inputs = decode(case.inputs)
    return 0 < len(list(_numbers_of(inputs))) <= MAX_NUMBERS and not _missing(text, inputs)


def _missing(text: str, value: Tree) -> list[str]:
    """Return the numbers of a small value that the text does not show."""
    wanted = list(_numbers_of(value))
    if not 0 < len(wanted) <= MAX_NUMBERS:
        return []
    printed = list(read_printed(text))
    largest = max(abs(value) for _, value in wanted)
    return [
        f"{value if isinstance(value, int) else format(value, '.6g')}{f' at {path}' if path else ''}"
        for path, value in wanted
        if not any(number.shows(value, largest) for number in printed)
    ]


def _without_inputs(text: str, manifest: Manifest) -> str:
    """Return the text without calls of the function and `name = value` of inputs: these numbers are not its output."""
    names = "|".join(re.escape(each.name) for each in (*manifest.parameters, *manifest.case_inputs))
    calls = rf"\b{re.escape(manifest.entry_point)}\((?:[^()]|\([^()]*\))*\)"
    values = rf"\b(?:{names})\b[`$]*\s*=\s*[`$]*[-−+\d.,eE\s\[\]()]*\d[\])]*" if names else "(?!)"
    return re.sub(f"{calls}|{values}", " ", text)


def _numbers_of(output: Tree) -> Iterator[tuple[str, int | float]]:
    """Yield the path and value of each finite real number. An integer stays one."""
    for path, value in leaves(output):
        leaf = read_leaf(value)
        if leaf.kind in ("int", "float"):
            short = [shown(element) for element in leaf.array.ravel()]
            yield from ((path_text(path), number) for number in short if isinstance(number, int | float))


def read_printed(text: str) -> Iterator[PrintedNumber]:
    """Yield each number in a text. `1,234` counts as one number and as two, and `3 - 2` holds 2 and -2."""
    for version in dict.fromkeys((text, _THOUSANDS.sub("", text))):
        for match in _PRINTED.finditer(version):
            digits = match["digits"]
            exponent = int((match["e"] or match["ten"] or "0").replace("−", "-"))
            number = PrintedNumber(
                value=float(f"{digits}e{exponent}"),
                unit=10.0 ** (exponent - len(digits.partition(".")[2])),
                digits=len(digits.replace(".", "").lstrip("0")),
            )
            if match["sign"]:
                yield replace(number, value=-number.value)
            if not match["sign"] or match["space"]:
                yield number
