"""What a package's wrong solutions answer, and whether two answers are the same wrong one.

Their code is the author's, and runs plainly in a box of the references' pool, also where a case is sealed. Bounded:
each gets the problem's own limits and not too many cases, all together get half an hour, and large answers are not
kept.
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
from app.judging.mistake import FAR, hint_of
from app.judging.rules import Rules
from app.judging.verdicts import Verdict
from app.worker.asking import Asker
from app.worker.boxes import box_spec
from app.worker.prepare import PreparedCase
from app.worker.request import build_request
from app.worker.rules import rules_of
from app.worker.run import run_cases
from sandbox.guest.codec import Malformed, Tree, decode
from sandbox.interface import CaseInput, CaseOutcome
from sandbox.pool import Pool

SECONDS = 1800.0
# The first ones: of a case that is repeated a hundred times, a few tell as much.
MOST_CASES = 24
ANSWER_BYTES = 2**20

# By case: only where the answer is far from right.
Answers: TypeAlias = Mapping[str, Tree]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """`name`: of its file. `hint`: what a student is told who makes it."""

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
    """What each mistake answers, where that is far from right; nothing for those that time did not suffice for.

    Raises JudgeFailed, BoxLost, Aborted.
    """
    deadline = time.monotonic() + SECONDS
    found: dict[str, Answers] = {}
    for mistake in mistakes:
        if time.monotonic() > deadline:
            _log.warning("%s: its known mistakes take too long; %s is left out", package.slug, mistake.name)
            found[mistake.name] = {}
        else:
            found[mistake.name] = _run(package, mistake, cases, pool, abort)
    return found


def plain_rules(package: Package) -> Rules:
    """The package's, for comparing two wrong answers: its own code says what is right, and here nothing is."""
    rules = rules_of(package.manifest)
    checkers = {pattern: checker for pattern, checker in rules.checkers.items() if not checker.is_asking}
    return replace(rules, checkers=checkers)


def agree(answer: Tree, other: Tree, rules: Rules) -> bool:
    """Whether an answer is the same as that of a mistake, within the tolerance. `rules`: from `plain_rules`."""
    try:
        return compare(answer, other, rules).accepted
    except JudgeFailed:  # no checker was made for what a wrong solution answers
        return False


def _run(package: Package, mistake: Mistake, cases: Sequence[PreparedCase], pool: Pool, abort: Event) -> Answers:
    cases = cases[:MOST_CASES]
    inputs = [CaseInput(name=case.name, inputs=case.inputs) for case in cases]
    outcomes: list[CaseOutcome] = []
    request = build_request(package, mistake.source, inputs, ANSWER_BYTES)
    run_cases(pool, box_spec(package.manifest), request, outcomes.append, abort)
    asker = Asker(package, pool, abort)
    return dict(_telling(asker, cases, outcomes))


def _telling(
    asker: Asker, cases: Sequence[PreparedCase], outcomes: Sequence[CaseOutcome]
) -> Iterator[tuple[str, Tree]]:
    """The answers that tell the mistake from what is right, and can be told from others."""
    rules, plain = rules_of(asker.package.manifest), plain_rules(asker.package)
    for case, outcome in zip(cases, outcomes, strict=False):
        if outcome.answer is None:
            continue
        ask = asker.about(case.name, case.inputs, case.expected, outcome.answer)
        try:
            answer = decode(outcome.answer)
            comparison = compare(answer, decode(case.expected), rules, ask)
        except (Malformed, JudgeFailed):  # no checker was made for it
            continue
        if is_far(comparison) and agree(answer, answer, plain):
            yield case.name, answer


def is_far(comparison: Comparison) -> bool:
    """Whether more is wrong than that values are somewhat outside the tolerance."""
    wrong = [leaf for leaf in comparison.leaves if leaf.category is not None]
    if comparison.accepted or not wrong:
        return not comparison.accepted
    return any(leaf.category != VALUES or leaf.tolerance_used is None or leaf.tolerance_used >= FAR for leaf in wrong)
