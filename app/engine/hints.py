"""Hints for known mistakes: recognise a wrong submission by its answers.

The wrong solutions of a package are run once per revision, variant and device, and their answers are stored in the
database. They share a process in a box of the references' pool, also for sealed cases. They are bounded by the
problem's limits, a number of cases, and a size of answers.

A submission makes a mistake if it gives the same wrong answers in at least two cases where the mistake is wrong, and in
all such cases that were judged. An answer that two mistakes share gives no hint, and neither does an answer that is
almost correct. The header of each wrong solution describes its mistake; that is the hint.
"""

import ast
import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from threading import Event
from typing import TypeAlias

from app.catalog.folder import digest
from app.catalog.package import Package
from app.catalog.sample_record import SampleRecord
from app.engine.batch import Batch, Call, Version
from app.engine.custom_checker import CustomChecker
from app.engine.job import ANSWER_BYTES, Outcomes
from app.engine.prepare import Draw, PreparedCase, prepare
from app.engine.request import rules_of
from app.errors import JudgeFailed
from app.judging.checker import VALUES
from app.judging.comparison import Comparison, Rules, compare
from app.judging.leaf import Array, Leaf, StructureDiffers, pair_leaves, with_arrays
from app.judging.numeric import np
from app.judging.printable_text import lines_of
from app.judging.verdicts import Finish, Verdict
from sandbox.guest.codec import Caps, Malformed, TooLarge, Tree, decode, encode
from sandbox.interface import CaseOutcome
from sandbox.pool import Pool

LEAST_CASES = 2
HINT_CHARACTERS = 500
# In tolerances: an output of a mistake that is closer than this to the expected one is no evidence.
FAR = 10.0


def recognise(alike: Mapping[str, frozenset[str]]) -> str | None:
    """Return the mistake that explains the most cases, if its cases include those of all other candidates.

    `alike`: by mistake, the cases that it explains; without mistakes that a case refutes.
    """
    possible = {name: cases for name, cases in alike.items() if len(cases) >= LEAST_CASES}
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


# Only the first cases: of a case that is repeated a hundred times, a few are enough.
MOST_CASES = 12

# Stored size of one mistake's answers in all cases of a variant.
CAPS = Caps(total_bytes=8 * 2**20)

# Samples have the same inputs in every revision and variant.
ANY_DRAW = Draw(b"", 0)
# The answers of all mistakes together. Each server computes larger ones itself.
MOST_RECORDED_BYTES = 128 * 2**10

TWO_MISTAKES = "Two mistakes at once: (1) {first}; (2) {second}."

# By case; only answers that are far from correct.
Answers: TypeAlias = Mapping[str, Tree]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """`name`: of its file. `hint`: the text for a student who makes it."""

    name: str
    hint: str
    source: str


def list_mistakes(package: Package) -> tuple[Mistake, ...]:
    wrong = [known for known in package.submissions if known.verdict is Verdict.WRONG_ANSWER]
    found = [Mistake(name=known.name, hint=hint_of(known.source), source=known.source) for known in wrong]
    return tuple(mistake for mistake in found if mistake.hint)


def mistake_outputs(
    package: Package, mistakes: Sequence[Mistake], cases: Sequence[PreparedCase], pool: Pool, abort: Event
) -> dict[str, Answers]:
    """Return the answers of each mistake where they are far from correct. Raises JudgeFailed, BoxLost, Aborted."""
    cases = cases[:MOST_CASES]
    calls = [Call(Version(mistake.source), case) for mistake in mistakes for case in cases]
    outcomes = iter(Batch(package, pool, abort).call_all(calls, package.manifest.limits.wall_seconds))
    custom_checker = CustomChecker(package, pool, abort)
    return {
        mistake.name: dict(_telling(custom_checker, [(case, next(outcomes)) for case in cases])) for mistake in mistakes
    }


def plain_rules(package: Package) -> Rules:
    """Return the package's rules without its custom checker, which can't compare two wrong answers."""
    rules = rules_of(package.manifest)
    checkers = {pattern: checker for pattern, checker in rules.checkers.items() if not checker.is_asking}
    return replace(rules, checkers=checkers)


def agree(answer: Tree, other: Tree, rules: Rules) -> bool:
    """Whether an answer equals that of a mistake, within the tolerance. `rules`: from `plain_rules`."""
    try:
        return compare(answer, other, rules).accepted
    except JudgeFailed:  # checkers need not accept a wrong solution's answer
        return False


def _telling(
    custom_checker: CustomChecker, answered: Sequence[tuple[PreparedCase, CaseOutcome | None]]
) -> Iterator[tuple[str, Tree]]:
    """Yield the answers that differ clearly from the expected ones and can be compared with others."""
    rules, plain = rules_of(custom_checker.package.manifest), plain_rules(custom_checker.package)
    for case, outcome in answered:
        if outcome is None or outcome.answer is None or len(outcome.answer) > ANSWER_BYTES:
            continue
        ask = custom_checker.about(case.name, case.inputs, case.expected, outcome.answer)
        try:
            expected, answer = decode(case.expected), decode(outcome.answer)
            answer = with_arrays(answer, expected) if rules.accept_lists else answer
            comparison = compare(answer, expected, rules, ask)
        except (Malformed, JudgeFailed):  # checkers need not accept it
            continue
        if is_far(comparison) and agree(answer, answer, plain):
            yield case.name, answer


def is_far(comparison: Comparison) -> bool:
    """Whether the error is more than values that are slightly outside the tolerance."""
    wrong = [leaf for leaf in comparison.leaves if leaf.category is not None]
    if comparison.accepted or not wrong:
        return not comparison.accepted
    return any(leaf.category != VALUES or leaf.tolerance_used is None or leaf.tolerance_used >= FAR for leaf in wrong)


def pack(answers: Answers) -> bytes:
    """Drop the last cases if all of them together are too large."""
    names = list(answers)
    while True:
        try:
            return encode({name: answers[name] for name in names}, CAPS)
        except TooLarge:
            names = names[: len(names) // 2]


def unpack(answers: bytes) -> Answers:
    tree = decode(answers, CAPS)
    assert isinstance(tree, dict)
    found: dict[str, Tree] = tree
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A wrong submission: its encoded `answers` by case, and the cases in which they are wrong.

    `expected`: the encoded expected outputs by case. Without them, no two mistakes at once are recognised.
    """

    package: Package
    answers: Mapping[str, bytes]
    wrong: frozenset[str]
    expected: Mapping[str, bytes] = field(default_factory=dict)


def question_about(
    package: Package, judged: Finish, outcomes: Outcomes, cases: Sequence[PreparedCase] = ()
) -> Question | None:
    """Return None if no mistake could be recognised, whatever the known mistakes answer."""
    wrong = {case.name for case in judged.cases if case.verdict is Verdict.WRONG_ANSWER} & outcomes.answers.keys()
    if len(wrong) < LEAST_CASES or not list_mistakes(package):
        return None
    expected = {case.name: case.expected for case in cases}
    return Question(package=package, answers=outcomes.answers, wrong=frozenset(wrong), expected=expected)


def about_samples(question: Question) -> Question:
    """Return the question without the hidden cases."""
    samples = {case.name for case in question.package.manifest.cases if case.visibility == "sample"}
    answers, expected = (
        {name: value for name, value in values.items() if name in samples}
        for values in (question.answers, question.expected)
    )
    return replace(question, answers=answers, wrong=question.wrong & samples, expected=expected)


def find_hint(question: Question, known: Mapping[str, Answers]) -> str | None:
    """`known`: from `mistake_outputs`, for the same inputs."""
    alike = find_alike(question, known)
    by_hint: dict[str, frozenset[str]] = {}
    for mistake in list_mistakes(question.package):
        # Two versions of a mistake may share a hint, and need not be distinguished.
        if (cases := alike.get(mistake.name)) is not None:
            by_hint[mistake.hint] = max(by_hint.get(mistake.hint, cases), cases, key=len)
    return recognise(by_hint) or _find_two(question, known)


def _find_two(question: Question, known: Mapping[str, Answers]) -> str | None:
    """Find two mistakes whose combination gives the submission's wrong answers, if there is only one such pair."""
    hints = {mistake.name: mistake.hint for mistake in list_mistakes(question.package)}
    rules, answers = plain_rules(question.package), _decoded(question.answers)
    expected = _decoded({name: question.expected[name] for name in answers.keys() & question.expected.keys()})
    found: set[frozenset[str]] = set()
    for one, other in combinations(sorted(known.keys() & hints.keys()), 2):
        if hints[one] == hints[other]:
            continue
        both = Combination(one=known[one], other=known[other], expected=expected)
        if any(both.explains(answers, question.wrong, how, rules) for how in (add_errors, multiply_errors)):
            found.add(frozenset((hints[one], hints[other])))
    if len(found) != 1:
        return None
    first, second = sorted(found.pop())
    return TWO_MISTAKES.format(first=first.rstrip("."), second=second.rstrip("."))


@dataclass(frozen=True, slots=True, kw_only=True)
class Combination:
    """The answers of two mistakes, and the expected outputs, by case."""

    one: Answers
    other: Answers
    expected: Answers

    def explains(self, answers: Mapping[str, Tree], wrong: frozenset[str], how: "How", rules: Rules) -> bool:
        """Whether every answer is what both mistakes give, and each of them shows in at least two cases."""
        for name in self.expected.keys() & (self.one.keys() | self.other.keys()):
            right, answer = self.expected[name], answers[name]
            trees = (self.one.get(name, right), self.other.get(name, right), answer)
            made = combine(trees, right, how) if name in wrong else None
            if made is None or not agree(answer, made, rules):
                return False
        return all(len(each.keys() & self.expected.keys()) >= LEAST_CASES for each in (self.one, self.other))


# From the leaves of the two mistakes, the answer and the expected output to the leaf with both errors.
How: TypeAlias = Callable[[Array, Array, Array, Array], Array]


def combine(trees: Sequence[Tree], right: Tree, how: How) -> Tree | None:
    """Return the output with the errors of both mistakes, or None if structures or shapes differ."""
    pairs = [pair_leaves(tree, right) for tree in trees]
    leaves = [each for each in pairs if not isinstance(each, StructureDiffers)]
    made: list[Tree] = []
    for found in zip(*leaves, strict=True) if len(leaves) == len(pairs) else ():
        expected = found[0].expected
        leaves_of_all = (*(pair.answer for pair in found), expected)
        if any(leaf.array.dtype == object or leaf.shape != expected.shape for leaf in leaves_of_all):
            return None  # a text, or an int of more than 64 bits
        arrays = [_wide(leaf) for leaf in leaves_of_all]
        with np.errstate(all="ignore"):
            made.append(_narrowed(how(*arrays), expected))
    return _with_leaves(right, iter(made)) if made else None


def _with_leaves(tree: Tree, made: Iterator[Tree]) -> Tree:
    """Return the tree with other leaves, in order."""
    if isinstance(tree, dict):
        return type(tree)((key, _with_leaves(item, made)) for key, item in tree.items())
    if isinstance(tree, list | tuple):
        return [_with_leaves(item, made) for item in tree]
    return next(made)


def add_errors(one: Array, other: Array, _answer: Array, right: Array) -> Array:
    return np.asarray(one + other - right)


def multiply_errors(one: Array, other: Array, answer: Array, right: Array) -> Array:
    """Nothing follows where the right number is 0, so the answer stands there."""
    return np.where(right == 0, answer, one * other / right)


def _narrowed(array: Array, expected: Leaf) -> Array:
    real = array if expected.kind == "complex" else array.real
    return real.astype(expected.array.dtype)


def _wide(leaf: Leaf) -> Array:
    return leaf.array.astype(np.complex128 if leaf.kind == "complex" else np.float64)


def find_alike(question: Question, known: Mapping[str, Answers]) -> dict[str, frozenset[str]]:
    """Return the cases in which the submission gives a mistake's wrong answer, for each mistake that no case refutes.

    A case refutes a mistake if the mistake's answer is wrong and the submission's answer is another.
    """
    rules, answers, wrong = plain_rules(question.package), _decoded(question.answers), question.wrong

    def is_alike(name: str, mistake: Answers) -> bool:
        return name in wrong and agree(answers[name], mistake[name], rules)

    found = {name: mistake.keys() & answers.keys() for name, mistake in known.items()}
    return {
        name: frozenset(cases) for name, cases in found.items() if all(is_alike(case, known[name]) for case in cases)
    }


def _decoded(answers: Mapping[str, bytes]) -> dict[str, Tree]:
    """Skip answers that can't be decoded: they have another verdict."""
    found: dict[str, Tree] = {}
    for name, answer in answers.items():
        try:
            found[name] = decode(answer)
        except Malformed:
            continue
    return found


def record_samples(package: Package, pool: Pool, abort: Event) -> SampleRecord:
    """Raises JudgeFailed, BoxLost, Aborted."""
    samples = tuple(case for case in package.manifest.cases if case.visibility == "sample")
    part = replace(package, manifest=package.manifest.model_copy(update={"cases": samples}))
    cases = prepare(part, ANY_DRAW, pool, abort).cases if samples else ()
    answers = mistake_outputs(part, list_mistakes(part), cases, pool, abort) if samples else {}
    packed = {name: b64encode(pack(each)).decode() for name, each in answers.items()}
    return SampleRecord(
        digest=digest(package.files),
        previews={case.name: (case.inputs_preview, case.expected_preview) for case in cases},
        mistakes=packed if sum(map(len, packed.values())) <= MOST_RECORDED_BYTES else {},
    )
