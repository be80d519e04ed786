"""Whether the checkers of a package can judge what its reference answers: asked before anything is judged by them."""

from collections.abc import Mapping

from app.catalog.package import Package
from app.judging.checker import CheckerUnfit
from app.judging.comparison import compare
from app.judging.rules import Rules, find_pattern
from app.judging.structure import leaves, path_text
from app.worker.rules import rules_of
from sandbox.guest.codec import decode


def find_misfit(package: Package, answers: Mapping[str, bytes]) -> str | None:
    """What the author has to change, if anything. `answers`: the reference's by case, encoded."""
    rules = rules_of(package.manifest)
    if not rules.checkers:
        return None
    told = (_misfit_of(rules, case, answer) for case, answer in answers.items())
    return next(filter(None, told), None) or _idle_pattern(rules, answers)


def _misfit_of(rules: Rules, case: str, answer: bytes) -> str | None:
    try:
        comparison = compare(decode(answer), decode(answer), rules)
    except CheckerUnfit as unfit:
        return f"case {case}: {unfit}"
    return None if comparison.accepted else f"case {case}: the reference's own answer is refused: {comparison.message}"


def _idle_pattern(rules: Rules, answers: Mapping[str, bytes]) -> str | None:
    paths = {path_text(path) for answer in answers.values() for path, _ in leaves(decode(answer))}
    used = {find_pattern(path, rules.checkers) for path in paths}
    idle = next((pattern for pattern in rules.checkers if pattern not in used), None)
    if idle is None:
        return None
    known = ", ".join(sorted(paths - {""})) or 'only "", which "*" fits'
    return f"{idle} judges no leaf of any case; the leaves are {known}"
