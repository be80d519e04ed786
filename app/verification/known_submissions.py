"""Every solution of `submissions/` gets the verdict that its folder names.

Which case catches which wrong solution: cases that catch none, and mistakes that one case alone catches.
"""

from collections.abc import Iterator, Sequence

from app.catalog.package import KnownSubmission
from app.catalog.verification_report import Finding
from app.catalog.verification_section import (
    KillCase,
    KillMatrixSection,
    KillRow,
    KnownResult,
    KnownSection,
    MutationSection,
)
from app.judging.requirement import plural
from app.judging.verdicts import Verdict
from app.verification.trial import FIRST_CASES, Checked, CheckedKnown, Effort, Judged, Material, Trial
from app.worker.prepare import PreparedCase

SLOW = (Verdict.TIME_LIMIT_EXCEEDED, Verdict.MEMORY_LIMIT_EXCEEDED)


def check_known(trial: Trial, cases: Sequence[PreparedCase]) -> CheckedKnown:
    """Raises JudgeFailed, BoxLost, Aborted."""

    def judge(submission: KnownSubmission) -> Judged:
        if trial.effort.is_quick and submission.verdict is not Verdict.ACCEPTED:
            begun = Judged(submission=submission, attempt=trial.attempt(submission.source, cases[:FIRST_CASES]))
            if begun.attempt.verdict is submission.verdict:
                return begun
        return Judged(submission=submission, attempt=trial.attempt(submission.source, cases))

    # Those that run into a limit first: nobody waits for them alone at the end.
    in_order = sorted(trial.package.submissions, key=lambda known: known.verdict not in SLOW)
    judged = trial.each("known submissions", in_order, judge)
    judged = [judge(late.submission) if _is_late(late) else late for late in judged]
    results = tuple(map(_result, judged))
    wrong = [result for result in results if result.verdict is not result.expected]
    right = len(results) - len(wrong)
    get = "gets its" if right == 1 else "get their"
    summary = f"{right} of {plural(len(results), 'solution')} {get} verdict"
    return CheckedKnown(KnownSection(submissions=results), summary, tuple(map(_finding, wrong)), judged=tuple(judged))


def _is_late(judged: Judged) -> bool:
    """It may be the machine's fault: alone, it gets a second try."""
    is_expected = judged.submission.verdict is Verdict.TIME_LIMIT_EXCEEDED
    return judged.attempt.verdict is Verdict.TIME_LIMIT_EXCEEDED and not is_expected


def _result(judged: Judged) -> KnownResult:
    decisive = next((each for each in judged.attempt.results if each.verdict is judged.attempt.verdict), None)
    is_accepted = judged.attempt.verdict is Verdict.ACCEPTED
    return KnownResult(
        name=judged.submission.name,
        file=f"submissions/{judged.name}.py",
        expected=judged.submission.verdict,
        verdict=judged.attempt.verdict,
        decisive=None if is_accepted or decisive is None else decisive.name,
        category=None if is_accepted or decisive is None else decisive.report["category"],
        wall_seconds=round(judged.attempt.wall_seconds, 3),
    )


def _finding(result: KnownResult) -> Finding:
    where = f" (case {result.decisive}: {result.category})" if result.decisive else ""
    if result.verdict is Verdict.ACCEPTED:
        remedy = "add a case where its answer differs from the reference's by more than the tolerance"
    else:
        remedy = "mend the solution, or move it to the folder of its verdict"
    return Finding(
        check="known",
        severity="error",
        message=f"gets {result.verdict}{where}; expected {result.expected}",
        remedy=remedy,
        file=result.file,
    )


# These never come to an answer, whatever the case.
_WITHOUT_CASES = (Verdict.ACCEPTED, Verdict.INVALID_SUBMISSION)


def check_kill_matrix(
    effort: Effort, material: Material, mutation: MutationSection | None
) -> Checked[KillMatrixSection]:
    """Says nothing of single cases where not all were run."""
    wrong = [judged for judged in material.judged if judged.submission.verdict not in _WITHOUT_CASES]
    rows = tuple(map(_row, wrong))
    cases = tuple(_case(case, rows, mutation) for case in material.cases)
    findings = () if effort.is_quick else (*_idle(cases), *_fragile(rows))
    catching = sum(bool(case.submissions or case.mutants) for case in cases)
    part = ", of the first cases" if effort.is_quick else ""
    catch = "catches" if catching == 1 else "catch"
    known = plural(len(rows), "wrong solution")
    summary = f"{catching} of {plural(len(cases), 'case')} {catch} something, {known}{part}"
    return Checked(KillMatrixSection(cases=cases, rows=rows), summary, findings)


def _row(judged: Judged) -> KillRow:
    failed = judged.attempt.failed
    passed = tuple(result.name for result in judged.attempt.results if result.name not in failed)
    return KillRow(name=judged.name, verdict=judged.attempt.verdict, failed=failed, passed=passed)


def _case(case: PreparedCase, rows: tuple[KillRow, ...], mutation: MutationSection | None) -> KillCase:
    mutants = mutation.mutants if mutation else ()
    return KillCase(
        name=case.name,
        visibility=case.visibility,
        submissions=sum(case.name in row.failed for row in rows),
        mutants=sum(case.name in mutant.killed_by for mutant in mutants),
        only_here=tuple(row.name for row in rows if row.failed == (case.name,)),
    )


def _idle(cases: tuple[KillCase, ...]) -> Iterator[Finding]:
    """A sample is there to be read, and need catch nothing."""
    for case in cases:
        if case.submissions or case.mutants:
            continue
        is_sample = case.visibility == "sample"
        yield Finding(
            check="kill_matrix",
            severity="note" if is_sample else "warning",
            message=f"case {case.name} catches no wrong solution and no mutant",
            remedy="fine for a sample that explains" if is_sample else "remove it, or make it catch what others do not",
            file="problem.yaml",
        )


def _fragile(rows: tuple[KillRow, ...]) -> Iterator[Finding]:
    for row in rows:
        if len(row.failed) == 1 and row.passed:
            yield Finding(
                check="kill_matrix",
                severity="note",
                message=f"only case {row.failed[0]} catches it",
                remedy="add a second case that does: one lucky draw lets it pass",
                file=f"submissions/{row.name}.py",
            )
