"""Check that trivial answers fail: the starter, constants, the inputs, and distortions of the right answer.

A trivial answer that passes some cases is a note: zeros may be expected there. One that passes every case is an error.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from app.catalog.folder import MANIFEST_FILE
from app.catalog.verification_report import Finding, Severity
from app.catalog.verification_section import TrivialAnswer, TrivialSection
from app.engine.prepare import PreparedCase
from app.judging.leaf import Array, Leaf, Tree, leaves, path_text, read_leaf
from app.judging.requirement import plural
from app.judging.verdicts import Verdict
from app.verification.trial import FIRST_CASES, CheckResult, Material, Trial, some_of_each
from sandbox.guest.codec import decode, encode

MEANINGS = {
    "zeros": "an answer of zeros",
    "ones": "an answer of ones",
    "mean": "the mean of all expected outputs",
    "nan": "an answer of NaN",
    "usual_text": "the text that is expected most often",
    "transposed": "the transposed answer",
    "extra_axis": "the answer with one more axis",
    "empty": "an empty container",
    "nothing": "None",
    "empty_array": "an array of no elements",
    "other_case": "the answer to another case",
}
STARTER = "starter"
STEP = "trivial answers"
# If checker.py judges each answer, which takes a box, only so many cases are tried.
MAX_ASKED = 8
MAX_NAMED = 5
REMEDIES = {
    STARTER: "remove the solution from starter.py",
    "other_case": "make the answers of the cases differ by more than the tolerance",
    "extra_axis": "check the shape in checker.py, or do not set `shape: any`",
}
REMEDY = "add cases whose answers differ from this one, or tighten the tolerance"


def check_trivial(trial: Trial, material: Material) -> CheckResult[TrivialSection]:
    """Raises JudgeFailed, BoxLost, Aborted."""
    trial.watch(STEP, 0, 2)
    few = some_of_each(material.cases)
    tried = _try_values(trial, _chosen(trial, few))
    trial.watch(STEP, 1, 2)
    cases = material.cases[:FIRST_CASES] if trial.effort.is_quick else few
    starter = trial.attempt(trial.package.starter, cases)
    accepted = [result.name for result in starter.results if result.verdict is Verdict.ACCEPTED]
    tried = {STARTER: _Tried([case.name for case in cases], accepted)} | tried
    trial.watch(STEP, 2, 2)
    answers = tuple(_answer(name, found) for name, found in tried.items())
    findings = tuple(finding for answer in answers if (finding := _finding(answer)))
    refused = sum(len(answer.accepted_on) < len(answer.tried_on) for answer in answers)
    summary = f"{refused} of {len(answers)} {'fails' if refused == 1 else 'fail'}"
    return CheckResult(TrivialSection(answers=answers), summary, findings)


@dataclass(slots=True)
class _Tried:
    on: list[str] = field(default_factory=list)
    accepted: list[str] = field(default_factory=list)


def _try_values(trial: Trial, cases: Sequence[PreparedCase]) -> dict[str, _Tried]:
    tried: dict[str, _Tried] = {}
    opened = [Case.open(case) for case in cases]
    answers = [
        (name, case.prepared, answer)
        for case in opened
        for name, answer in answers_of(case, opened)
        if not (name == "other_case" and _are_samples(trial))
    ]
    comparisons = trial.compare_all([(case, encode(answer)) for _, case, answer in answers])
    for (name, case, _), comparison in zip(answers, comparisons, strict=True):
        found = tried.setdefault(name, _Tried())
        found.on.append(case.name)
        if comparison.accepted:
            found.accepted.append(case.name)
    return tried


def _answer(name: str, tried: _Tried) -> TrivialAnswer:
    meaning = "the starter as it is" if name == STARTER else MEANINGS.get(name, f"the input {name.split(':')[-1]}")
    return TrivialAnswer(name=name, meaning=meaning, tried_on=tuple(tried.on), accepted_on=tuple(tried.accepted))


def _finding(answer: TrivialAnswer) -> Finding | None:
    if not answer.accepted_on:
        return None
    is_passed = answer.accepted_on == answer.tried_on
    severity: Severity = "error" if is_passed else "note"
    named = answer.accepted_on[:MAX_NAMED]
    more = len(answer.accepted_on) - len(named)
    cases = ", ".join(named) + (f" and {more} more" if more else "")
    where = (
        "in every case"
        if is_passed
        else f"in {len(answer.accepted_on)} of {plural(len(answer.tried_on), 'case')}: {cases}"
    )
    return Finding(
        check="trivial",
        severity=severity,
        message=f"{answer.meaning} passes {where}",
        remedy=REMEDIES.get(answer.name, REMEDY) if is_passed else "check that this answer is right there",
        file="starter.py" if answer.name == STARTER else MANIFEST_FILE,
    )


def _are_samples(trial: Trial) -> bool:
    """Whether other samples of the same distribution are right answers too."""
    checkers = trial.package.manifest.checkers
    return bool(checkers) and all(checker.checker == "distribution" for checker in checkers.values())


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    prepared: PreparedCase
    inputs: dict[str, Tree]
    expected: Tree

    @staticmethod
    def open(prepared: PreparedCase) -> "Case":
        inputs: Any = decode(prepared.inputs)
        return Case(prepared, inputs, decode(prepared.expected))


def answers_of(case: Case, cases: Sequence[Case]) -> Iterator[tuple[str, Tree]]:
    """Yield the names and values of the trivial answers to a case, without those that equal the right answer."""
    yield from _constants(case, cases)
    for name, change in CHANGES.items():
        changed = mapped(case.expected, change)
        if not is_same(changed, case.expected):
            yield name, changed
    yield "empty", [] if isinstance(case.expected, list | tuple) else {}
    yield "nothing", None
    if _has_numbers(case.expected):
        yield "empty_array", mapped(case.expected, lambda leaf: leaf.array.reshape(-1)[:0])
    yield from ((f"input:{name}", value) for name, value in case.inputs.items())
    if (other := _other(case, cases)) is not None:
        yield "other_case", other.expected


def _constants(case: Case, cases: Sequence[Case]) -> Iterator[tuple[str, Tree]]:
    """Yield answers with one value everywhere, in the containers of the right answer."""
    text = usual_text(cases)
    if _has_numbers(case.expected):
        values = {"zeros": 0, "ones": 1, "mean": mean_of(cases), "nan": np.nan}
        found: list[Tree] = []
        for name, value in values.items():
            answer = filled(case.expected, value, text if name == "mean" else "")
            if not any(is_same(answer, other) for other in found):
                yield name, answer
            found.append(answer)
    elif text is not None and not any(_has_numbers(each.expected) for each in cases):
        yield "usual_text", filled(case.expected, 0, text)


def filled(tree: Tree, value: float, text: str | bytes | None) -> Tree:
    """Return the same containers, with `value` for every number and `text` for every text."""
    if isinstance(tree, dict):
        return {key: filled(item, value, text) for key, item in tree.items()}
    if isinstance(tree, list | tuple):
        return [filled(item, value, text) for item in tree]
    leaf = read_leaf(tree)
    if leaf.kind == "text":
        return text
    if leaf.array.dtype == object:  # an int of more than 64 bits
        return int(value) if np.isfinite(value) else value
    array = _full(leaf, value)
    return array.item() if leaf.is_python else array


def usual_text(cases: Sequence[Case]) -> str | bytes | None:
    """Return the most frequent expected text, or None if there are no texts."""
    found = (value for case in cases for _, value in leaves(case.expected) if isinstance(value, str | bytes))
    return next((text for text, _ in Counter(found).most_common(1)), None)


def mean_of(cases: Sequence[Case]) -> float:
    """Return the mean of all finite expected numbers."""
    numbers = [leaf.array[np.isfinite(leaf.array)].ravel() for case in cases for leaf in _numbers(case.expected)]
    total = np.concatenate([part.astype(np.float64) for part in numbers]) if numbers else np.zeros(0)
    return float(total.mean()) if total.size else 0.0


def mapped(tree: Tree, change: Callable[[Leaf], Array]) -> Tree:
    """Return the right answer with every number or array changed. Texts stay, and Python numbers stay Python's."""
    if isinstance(tree, dict):
        return {key: mapped(item, change) for key, item in tree.items()}
    if isinstance(tree, list | tuple):
        return [mapped(item, change) for item in tree]
    leaf = read_leaf(tree)
    if leaf.kind == "text" or leaf.array.dtype == object:
        return tree
    changed = change(leaf)
    return changed.item() if leaf.is_python and changed.shape == () else changed


def is_same(answer: Tree, expected: Tree) -> bool:
    """Whether both are equal bit by bit, with the same shapes and dtypes."""
    return _content(answer) == _content(expected)


def _content(tree: Tree) -> list[Any]:
    found = [(path_text(path), read_leaf(value)) for path, value in leaves(tree)]
    return [
        (path, leaf.dtype, leaf.shape, leaf.array.tobytes(), leaf.kind == "text" and leaf.value) for path, leaf in found
    ]


def _full(leaf: Leaf, value: float) -> Array:
    """Return an array of the leaf's shape and dtype, or float32 if an integer dtype can't hold NaN."""
    if leaf.kind in ("int", "bool") and not np.isfinite(value):
        return np.full(leaf.shape, value, np.float32)
    with np.errstate(all="ignore"):
        return np.full(leaf.shape, value).astype(leaf.array.dtype)


def _transposed(leaf: Leaf) -> Array:
    return leaf.array.T


def _extra_axis(leaf: Leaf) -> Array:
    return leaf.array[None]


CHANGES: dict[str, Callable[[Leaf], Array]] = {
    "transposed": _transposed,
    "extra_axis": _extra_axis,
}


def _other(case: Case, cases: Sequence[Case]) -> Case | None:
    """Return the next case whose answer has the same shapes."""
    start = cases.index(case)
    wanted = _shapes(case.expected)
    others = (*cases[start + 1 :], *cases[:start])
    return next((other for other in others if _shapes(other.expected) == wanted), None)


def _shapes(tree: Tree) -> list[tuple[str, tuple[int, ...]]]:
    return [(path_text(path), read_leaf(value).shape) for path, value in leaves(tree)]


def _has_numbers(tree: Tree) -> bool:
    return any(read_leaf(value).kind != "text" for _, value in leaves(tree))


def _numbers(tree: Tree) -> Iterator[Leaf]:
    for _, value in leaves(tree):
        leaf = read_leaf(value)
        if leaf.kind in ("int", "float") and leaf.array.dtype != object:
            yield leaf


def _chosen(trial: Trial, cases: Sequence[PreparedCase]) -> Sequence[PreparedCase]:
    is_asking = any(checker.is_asking for checker in trial.package.manifest.checkers.values())
    return cases[:MAX_ASKED] if is_asking else cases
