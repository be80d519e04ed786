"""Which case catches which wrong solution: cases that catch none, and mistakes that one case alone catches."""

from collections.abc import Iterator

from app.catalog.verification.report import Finding
from app.catalog.verification.section import KillCase, KillMatrixSection, KillRow
from app.catalog.verification.strength import MutationSection
from app.judging.requirement import plural
from app.judging.verdicts import Verdict
from app.worker.prepare import PreparedCase
from app.worker.verification.trial import Checked, Effort, Judged, Material

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
