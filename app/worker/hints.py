"""Hints for known mistakes: recognise a wrong submission by its answers.

Each wrong solution of a package is run once per revision, variant and device, and its answers are stored in the
database. The author's code runs in a box of the references' pool, also for sealed cases. It is bounded by the problem's
limits, a number of cases, half an hour in all, and a size of answers. A submission that gives the same wrong answers
makes the same mistake.
"""

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Event
from typing import TypeAlias

from app.catalog.package import Package
from app.errors import JudgeFailed
from app.judging.checker import VALUES
from app.judging.comparison import Comparison, compare
from app.judging.known_mistake import FAR, LEAST_CASES, Likeness, hint_of, recognise
from app.judging.rules import Rules
from app.judging.structure import with_arrays
from app.judging.verdicts import Verdict
from app.queue.finish import Finish
from app.worker.boxes import box_spec
from app.worker.custom_checker import CustomChecker
from app.worker.outcomes import ANSWER_BYTES, Outcomes
from app.worker.prepare import PreparedCase
from app.worker.request import build_request, rules_of
from app.worker.run import run_cases
from sandbox.guest.codec import Malformed, Tree, decode
from sandbox.interface import CaseInput, CaseOutcome
from sandbox.pool import Pool

SECONDS = 1800.0
# Only the first cases: of a case that is repeated a hundred times, a few are enough.
MOST_CASES = 24

# By case; only answers that are far from correct.
Answers: TypeAlias = Mapping[str, Tree]

_log = logging.getLogger(__name__)
NOT_ALIKE = Likeness(cases=frozenset(), is_refuted=True)


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
    """Return the answers of each mistake where they are far from correct; none for mistakes after the time ran out.

    Raises JudgeFailed, BoxLost, Aborted.
    """
    deadline = time.monotonic() + SECONDS
    found: dict[str, Answers] = {}
    for mistake in mistakes:
        if time.monotonic() > deadline:
            _log.warning("%s: the known mistakes take too long; skipping %s", package.slug, mistake.name)
            found[mistake.name] = {}
        else:
            found[mistake.name] = _run(package, mistake, cases, pool, abort)
    return found


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


def _run(package: Package, mistake: Mistake, cases: Sequence[PreparedCase], pool: Pool, abort: Event) -> Answers:
    cases = cases[:MOST_CASES]
    inputs = [CaseInput(name=case.name, inputs=case.inputs) for case in cases]
    outcomes: list[CaseOutcome] = []
    request = build_request(package, mistake.source, inputs, ANSWER_BYTES)
    run_cases(pool, box_spec(package.manifest), request, outcomes.append, abort)
    custom_checker = CustomChecker(package, pool, abort)
    return dict(_telling(custom_checker, cases, outcomes))


def _telling(
    custom_checker: CustomChecker, cases: Sequence[PreparedCase], outcomes: Sequence[CaseOutcome]
) -> Iterator[tuple[str, Tree]]:
    """Yield the answers that differ clearly from the expected ones and can be compared with others."""
    rules, plain = rules_of(custom_checker.package.manifest), plain_rules(custom_checker.package)
    for case, outcome in zip(cases, outcomes, strict=False):
        if outcome.answer is None:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A wrong submission: its encoded `answers` by case, and the cases in which they are wrong."""

    package: Package
    answers: Mapping[str, bytes]
    wrong: frozenset[str]


def question_about(package: Package, judged: Finish, outcomes: Outcomes) -> Question | None:
    """Return None if no mistake could be recognised, whatever the known mistakes answer."""
    wrong = {case.name for case in judged.cases if case.verdict is Verdict.WRONG_ANSWER} & outcomes.answers.keys()
    if len(wrong) < LEAST_CASES or not list_mistakes(package):
        return None
    return Question(package=package, answers=outcomes.answers, wrong=frozenset(wrong))


def find_hint(question: Question, known: Mapping[str, Answers]) -> str | None:
    """`known`: from `mistake_outputs`, for the same inputs."""
    likenesses = _likenesses(question, known)
    by_hint: dict[str, Likeness] = {}
    for mistake in list_mistakes(question.package):
        # Two versions of a mistake may share a hint, and need not be distinguished.
        both = (likenesses.get(mistake.name, NOT_ALIKE), by_hint.get(mistake.hint, NOT_ALIKE))
        by_hint[mistake.hint] = max(both, key=lambda likeness: (not likeness.is_refuted, len(likeness.cases)))
    return recognise(by_hint)


def list_possible(question: Question, known: Mapping[str, Answers]) -> list[str]:
    """Return the mistakes that no case refutes."""
    return [name for name, likeness in _likenesses(question, known).items() if not likeness.is_refuted]


def _likenesses(question: Question, known: Mapping[str, Answers]) -> dict[str, Likeness]:
    rules, answers = plain_rules(question.package), _decoded(question)
    return {name: _likeness(answers, question.wrong, of, rules) for name, of in known.items()}


def _decoded(question: Question) -> dict[str, Tree]:
    """Skip answers that can't be decoded: they have another verdict."""
    found: dict[str, Tree] = {}
    for name, answer in question.answers.items():
        try:
            found[name] = decode(answer)
        except Malformed:
            continue
    return found


def _likeness(answers: Mapping[str, Tree], wrong: frozenset[str], known: Answers, rules: Rules) -> Likeness:
    """Stops at the first case that refutes the mistake, usually the first of all."""
    alike: set[str] = set()
    for name in known.keys() & answers.keys():
        if name not in wrong or not agree(answers[name], known[name], rules):
            return Likeness(cases=frozenset(alike), is_refuted=True)
        alike.add(name)
    return Likeness(cases=frozenset(alike), is_refuted=False)
