"""Answers that take no thought must fail: the starter, constants, the inputs, and distortions of the right answer.

An answer that is the expected one by rights (zeros where zeros are expected) is a note; one that passes every case that
it was tried on is an error, unless the package's own rules say that it is right.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.catalog.verification.report import Finding, Severity
from app.catalog.verification.section import TrivialAnswer, TrivialSection
from app.judging.requirement import plural
from app.judging.verdicts import Verdict
from app.worker.prepare import PreparedCase
from app.worker.verification.trial import FIRST_CASES, Checked, Material, Trial
from app.worker.verification.trivial_answers import MEANINGS, Case, answers_of
from app.worker.verification.trivial_excuse import excuse

STARTER = "starter"
STEP = "trivial answers"
# Where an author's own code is asked about each, which takes a box.
MAX_ASKED = 8
MAX_NAMED = 5
REMEDIES = {
    STARTER: "leave the part to be solved out of starter.py",
    "float16_inside": "tighten the tolerance, if right answers allow it, or draw inputs on which half precision shows",
    "other_case": "make the answers of the cases differ by more than the tolerance",
    "extra_axis": "check the shape in checker.py, or do not set `shape: any`",
}
REMEDY = "add cases whose answers differ from this one, or tighten the tolerance"


@dataclass(slots=True)
class _Tried:
    on: list[str] = field(default_factory=list)
    accepted: list[str] = field(default_factory=list)


def check_trivial(trial: Trial, material: Material) -> Checked[TrivialSection]:
    """Raises JudgeFailed, BoxLost, Aborted."""
    trial.watch(STEP, 0, 2)
    tried = _try_values(trial, _chosen(trial, material.cases))
    trial.watch(STEP, 1, 2)
    cases = material.cases[:FIRST_CASES] if trial.effort.is_quick else material.cases
    starter = trial.attempt(trial.package.starter, cases)
    accepted = [result.name for result in starter.results if result.verdict is Verdict.ACCEPTED]
    tried = {STARTER: _Tried([case.name for case in cases], accepted)} | tried
    trial.watch(STEP, 2, 2)
    answers = tuple(_answer(trial, material, name, found) for name, found in tried.items())
    findings = tuple(finding for answer in answers if (finding := _finding(answer)))
    refused = sum(len(answer.accepted_on) < len(answer.tried_on) for answer in answers)
    excused = sum(answer.rightly is not None for answer in answers)
    aside = f", {excused} rightly {'passes' if excused == 1 else 'pass'}" if excused else ""
    summary = f"{refused} of {len(answers)} {'fails' if refused == 1 else 'fail'}{aside}"
    return Checked(TrivialSection(answers=answers), summary, findings)


def _chosen(trial: Trial, cases: Sequence[PreparedCase]) -> Sequence[PreparedCase]:
    is_asking = any(checker.is_asking for checker in trial.package.manifest.checkers.values())
    return cases[:MAX_ASKED] if is_asking else cases


def _try_values(trial: Trial, cases: Sequence[PreparedCase]) -> dict[str, _Tried]:
    tried: dict[str, _Tried] = {}
    opened = [Case.open(case) for case in cases]
    for case in opened:
        for name, answer in answers_of(case, opened):
            found = tried.setdefault(name, _Tried())
            found.on.append(case.prepared.name)
            if trial.compare(case.prepared, answer).accepted:
                found.accepted.append(case.prepared.name)
    return tried


def _answer(trial: Trial, material: Material, name: str, tried: _Tried) -> TrivialAnswer:
    is_passed = tried.accepted == tried.on
    meaning = "the starter as it is" if name == STARTER else MEANINGS.get(name, f"the input {name.split(':')[-1]}")
    return TrivialAnswer(
        name=name,
        meaning=meaning,
        tried_on=tuple(tried.on),
        accepted_on=tuple(tried.accepted),
        rightly=excuse(trial, material, name) if is_passed else None,
    )


def _finding(answer: TrivialAnswer) -> Finding | None:
    if not answer.accepted_on or answer.rightly:
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
        remedy=REMEDIES.get(answer.name, REMEDY) if is_passed else "see that this is meant",
        file="starter.py" if answer.name == STARTER else None,
    )
