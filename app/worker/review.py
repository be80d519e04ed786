"""Whether the checkers of a package can judge what its reference answers: asked before anything is judged by them."""

from collections.abc import Mapping, Sequence

from app.errors import JudgeFailed
from app.judging.comparison import compare
from app.judging.rules import Rules, find_pattern
from app.judging.structure import leaves, path_text
from app.worker.asking import Asker
from app.worker.rules import rules_of
from sandbox.guest.codec import decode
from sandbox.interface import CaseInput


def find_misfit(asker: Asker, cases: Sequence[CaseInput], answers: Mapping[str, bytes]) -> str | None:
    """What the author has to change, if anything. `answers`: the reference's by case, encoded.

    Raises BoxLost, Aborted.
    """
    rules = rules_of(asker.package.manifest)
    if not rules.checkers:
        return None
    told = (_misfit_of(asker, rules, case, answers[case.name]) for case in cases)
    return next(filter(None, told), None) or _idle_pattern(rules, answers)


def _misfit_of(asker: Asker, rules: Rules, case: CaseInput, answer: bytes) -> str | None:
    ask = asker.about(case.name, case.inputs, answer, answer)
    try:
        comparison = compare(decode(answer), decode(answer), rules, ask)
    except JudgeFailed as failed:
        return f"case {case.name}: {failed}"
    if comparison.accepted:
        return None
    return f"case {case.name}: the reference's own answer is refused: {comparison.message}"


def _idle_pattern(rules: Rules, answers: Mapping[str, bytes]) -> str | None:
    paths = {path_text(path) for answer in answers.values() for path, _ in leaves(decode(answer))}
    used = {find_pattern(path, rules.checkers) for path in paths}
    idle = next((pattern for pattern in rules.checkers if pattern not in used), None)
    if idle is None:
        return None
    known = ", ".join(sorted(paths - {""})) or 'only "", which "*" fits'
    return f"{idle} judges no leaf of any case; the leaves are {known}"
