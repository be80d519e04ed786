"""Check that a student who makes a known mistake gets its hint, and not that of a similar mistake."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.catalog.verification_report import Finding
from app.catalog.verification_section import Confusion, Mistake, MistakesSection
from app.engine.hints import (
    LEAST_CASES,
    Answers,
    Question,
    agree,
    find_hint,
    hint_of,
    is_far,
    list_possible,
    plain_rules,
)
from app.errors import JudgeFailed
from app.judging.requirement import plural
from app.judging.verdicts import Verdict
from app.verification.trial import CheckResult, KnownJudging, Material, Trial
from sandbox.guest.codec import decode

STEP = "telling mistakes apart"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """`question`: a submission with the mistake's answers. `is_told`: its student gets the mistake's hint."""

    judged: KnownJudging
    question: Question
    is_told: bool


def check_mistakes(trial: Trial, material: Material) -> CheckResult[MistakesSection]:
    """Raises BoxLost, Aborted."""
    trial.watch(STEP, 0, 1)
    wrong = [judged for judged in material.judged if judged.attempt.verdict is Verdict.WRONG_ANSWER]
    telling = {judged.submission.name: _telling(trial, material, judged) for judged in wrong}
    known = [_known(trial, judged, telling) for judged in wrong]
    mistakes = tuple(
        Mistake(
            name=each.judged.submission.name,
            hint=hint_of(each.judged.submission.source) or None,
            cases=tuple(telling[each.judged.submission.name]),
        )
        for each in known
    )
    confusions = tuple(_confusions(known, telling))
    told = sum(each.is_told for each in known)
    trial.watch(STEP, 1, 1)
    part = ", by the first cases" if trial.effort.is_quick else ""
    get = "gets its" if told == 1 else "get their"
    summary = f"{told} of {plural(len(known), 'known mistake')} {get} own hint{part}"
    findings = () if trial.effort.is_quick else (*map(_confused, confusions), *_never_told(mistakes))
    return CheckResult(MistakesSection(mistakes=mistakes, confusions=confusions), summary, findings)


def _telling(trial: Trial, material: Material, judged: KnownJudging) -> Answers:
    """Return the mistake's answers that are far from right, by case."""
    answers, rules = judged.attempt.answers, plain_rules(trial.package)
    found = {}
    for case in material.cases:
        if case.name not in answers or case.name not in judged.attempt.failed:
            continue
        answer = decode(answers[case.name])
        try:
            far = is_far(trial.compare(case, answer))
        except JudgeFailed:  # the checker can't judge this answer
            continue
        if far and agree(answer, answer, rules):
            found[case.name] = answer
    return found


def _known(trial: Trial, judged: KnownJudging, telling: Mapping[str, Answers]) -> _Known:
    answers = judged.attempt.answers
    wrong = frozenset(name for name in judged.attempt.failed if name in answers)
    question = Question(package=trial.package, answers=answers, wrong=wrong)
    hint = hint_of(judged.submission.source)
    return _Known(judged=judged, question=question, is_told=find_hint(question, telling) == hint)


def _confusions(known: Sequence[_Known], telling: Mapping[str, Answers]) -> Iterator[Confusion]:
    seen: set[frozenset[str]] = set()
    for each in known:
        name = each.judged.submission.name
        if each.is_told or len(telling[name]) < LEAST_CASES:
            continue
        for rival in list_possible(each.question, telling):
            cases = tuple(case for case in telling[name] if case in telling[rival])
            if rival != name and cases and frozenset((name, rival)) not in seen:
                seen.add(frozenset((name, rival)))
                yield Confusion(first=name, second=rival, cases=cases)


def _confused(confusion: Confusion) -> Finding:
    count = plural(len(confusion.cases), "case")
    return Finding(
        check="mistakes",
        severity="note",
        message=f"{confusion.first} and {confusion.second} give the same answers in {count}, wherever both are wrong: "
        "students with one of them get no hint",
        remedy="add two cases in which their answers differ, or remove one of the two",
        details=", ".join(confusion.cases),
        file=f"submissions/wrong_answer/{confusion.first}.py",
    )


def _never_told(mistakes: Sequence[Mistake]) -> Iterator[Finding]:
    for mistake in mistakes:
        if len(mistake.cases) < LEAST_CASES:
            yield Finding(
                check="mistakes",
                severity="note",
                message=f"{mistake.name} gives a wrong answer in {plural(len(mistake.cases), 'case')}, and "
                f"{LEAST_CASES} are needed to recognize it",
                remedy="add a case in which its answer is wrong",
                file=f"submissions/wrong_answer/{mistake.name}.py",
            )
