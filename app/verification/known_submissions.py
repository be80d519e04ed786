"""Judge the known submissions: each must get the verdict of its folder, and each case should catch a wrong one."""

from collections.abc import Iterator, Sequence

from app.catalog.folder import FILE_OF_KEY, MANIFEST_FILE, VERDICT_FOLDERS
from app.catalog.package import KnownSubmission, Package
from app.catalog.verification_report import Finding
from app.catalog.verification_section import (
    KillCase,
    KillMatrixSection,
    KillRow,
    KnownResult,
    KnownSection,
    MutationSection,
)
from app.engine.prepare import PreparedCase
from app.engine.timing import TOO_SLOW
from app.judging.requirement import plural
from app.judging.verdicts import Verdict
from app.verification.trial import (
    FIRST_CASES,
    CheckedKnown,
    CheckResult,
    Effort,
    KnownJudging,
    Material,
    Trial,
    some_of_each,
)

REMEDIES = {
    Verdict.WRONG_ANSWER: "correct its answer, widen the tolerance",
    Verdict.TIME_LIMIT_EXCEEDED: "speed it up, raise limits.wall_seconds",
    Verdict.MEMORY_LIMIT_EXCEEDED: "let it use less memory, raise limits.memory_mib",
    Verdict.OUTPUT_LIMIT_EXCEEDED: "let it print or return less",
    Verdict.RUNTIME_ERROR: "correct what it raises",
    Verdict.INVALID_SUBMISSION: "let it define the entry point",
    Verdict.REQUIREMENT_NOT_MET: "let it meet the requirement",
    Verdict.JUDGE_ERROR: "verify again",
}
SLOW = (Verdict.TIME_LIMIT_EXCEEDED, Verdict.MEMORY_LIMIT_EXCEEDED)
# These solutions fail no case.
_WITHOUT_CASES = (Verdict.ACCEPTED, Verdict.INVALID_SUBMISSION)
# One right solution may share the reference's mistakes, and one wrong solution shows one mistake.
LEAST_EACH = 2


def check_known(trial: Trial, cases: Sequence[PreparedCase]) -> CheckedKnown:
    """Raises JudgeFailed, BoxLost, Aborted."""
    few = cases[:FIRST_CASES] if trial.effort.is_quick else some_of_each(cases)

    def judge(submission: KnownSubmission) -> KnownJudging:
        """A wrong solution that gets its verdict on some cases does not run on the others."""
        parts = [few] if submission.verdict is not Verdict.ACCEPTED else []
        if submission.verdict in SLOW:
            parts.insert(0, until_largest(few))
        for part in parts:
            begun = KnownJudging(submission=submission, attempt=trial.attempt(submission.source, part))
            if begun.attempt.verdict is submission.verdict or len(part) == len(cases):
                return begun
        return KnownJudging(submission=submission, attempt=trial.attempt(submission.source, cases))

    # The slowest run first, so that the last ones overlap with others.
    in_order = sorted(trial.package.submissions, key=lambda known: known.verdict not in SLOW)
    judged = trial.each("known submissions", in_order, judge)
    if trial.package.manifest.efficiency and any(map(_is_late, judged)):
        trial.wait_until_quieter()
    judged = [judge(late.submission) if _is_late(late) else late for late in judged]
    results = tuple(map(_result, judged))
    wrong = [result for result in results if result.verdict is not result.expected]
    disputes = _disputes(results)
    right = len(results) - len(wrong)
    get = "gets its" if right == 1 else "get their"
    summary = f"{right} of {plural(len(results), 'solution')} {get} verdict"
    told = [_dispute_finding(disputes)] if disputes else map(_finding, wrong)
    findings = (*told, *_too_few(trial.package))
    section = KnownSection(submissions=results)
    return CheckedKnown(section, summary, findings, judged=tuple(judged), is_disputed=bool(disputes))


def _disputes(results: Sequence[KnownResult]) -> tuple[KnownResult, ...]:
    """Return the results of the accepted solutions if there are several and all answer unlike the reference."""
    accepted = tuple(result for result in results if result.expected is Verdict.ACCEPTED)
    is_disputed = all(result.verdict is Verdict.WRONG_ANSWER for result in accepted)
    return accepted if is_disputed and len(accepted) >= LEAST_EACH else ()


def _dispute_finding(disputes: Sequence[KnownResult]) -> Finding:
    first = disputes[0]
    return Finding(
        check="known",
        severity="error",
        message=f"no accepted solution agrees with the reference: {first.name} gets wrong_answer in case "
        f"{first.decisive} ({first.category})",
        remedy="correct the reference, or the accepted solutions if they share a mistake; if they differ by rounding, "
        "widen the tolerance",
        file=FILE_OF_KEY["reference"],
    )


def _too_few(package: Package) -> Iterator[Finding]:
    submissions = package.submissions
    accepted = sum(known.verdict is Verdict.ACCEPTED for known in submissions)
    wrong = sum(known.verdict not in _WITHOUT_CASES for known in submissions)
    for count, folder, noun, remedy in (
        (accepted, "accepted", "accepted solution", "add one that computes the answer in another way"),
        (wrong, "wrong_answer", "wrong solution", "add one for each mistake that students are likely to make"),
    ):
        if count < LEAST_EACH:
            message = f"there is {plural(count, noun)}; {LEAST_EACH} are needed"
            is_inline = not any(path.startswith("submissions/") for path in package.files)
            file = MANIFEST_FILE if is_inline else f"submissions/{folder}/"
            yield Finding(check="known", severity="error", message=message, remedy=remedy, file=file)


def until_largest(cases: Sequence[PreparedCase]) -> Sequence[PreparedCase]:
    """Return the cases up to the largest open one, where a slow solution is slowest.

    The first case that fails decides the verdict. Later ones change nothing, and each may cost the whole limit.
    """
    largest = max((case for case in cases if not case.sealed), key=lambda case: len(case.inputs), default=cases[-1])
    return cases[: cases.index(largest) + 1]


def _is_late(judged: KnownJudging) -> bool:
    """Whether it was unexpectedly too slow. It then runs again, alone, because the machine was busy."""
    verdict, times = judged.attempt.verdict, judged.attempt.times
    is_slow = verdict is Verdict.TIME_LIMIT_EXCEEDED or (times is not None and not times.is_met)
    return is_slow and verdict is not judged.submission.verdict


def _result(judged: KnownJudging) -> KnownResult:
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
    return Finding(
        check="known",
        severity="error",
        message=f"gets {result.verdict}{where}; expected {result.expected}",
        remedy=remedy_for(result),
        file=result.file,
    )


def remedy_for(result: KnownResult) -> str:
    if result.verdict is Verdict.ACCEPTED and result.expected is Verdict.REQUIREMENT_NOT_MET:
        return "tighten the requirement or the limits in `efficiency`, or give the cases larger sizes"
    if result.category == TOO_SLOW:
        return "speed it up, raise the limit in `efficiency`, or verify again while the machine is quiet"
    if result.verdict is Verdict.ACCEPTED:
        return "add a case where its answer differs from the reference's by more than the tolerance"
    remedy = REMEDIES.get(result.verdict, "correct it")
    return f"{remedy}, or move it to submissions/{result.verdict}/" if result.verdict in VERDICT_FOLDERS else remedy


def check_kill_matrix(
    effort: Effort, material: Material, mutation: MutationSection | None
) -> CheckResult[KillMatrixSection]:
    """Wrong solutions run on a few cases of each family, which are drawn alike.

    A quick verification runs only the first cases, so it has no findings about single cases.
    """
    wrong = [judged for judged in material.judged if judged.submission.verdict not in _WITHOUT_CASES]
    rows = tuple(map(_row, wrong))
    cases = tuple(_case(case, rows, mutation) for case in some_of_each(material.cases))
    findings = () if effort.is_quick else (*_idle(cases), *_fragile(rows))
    catching = sum(bool(case.submissions or case.mutants) for case in cases)
    part = ", of the first cases" if effort.is_quick else ""
    catch = "catches" if catching == 1 else "catch"
    known = plural(len(rows), "wrong solution")
    summary = f"{catching} of {plural(len(cases), 'case')} {catch} something, {known}{part}"
    return CheckResult(KillMatrixSection(cases=cases, rows=rows), summary, findings)


def _row(judged: KnownJudging) -> KillRow:
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
    """Yield the cases that catch nothing. A sample may: it explains the problem."""
    for case in cases:
        if case.submissions or case.mutants:
            continue
        is_sample = case.visibility == "sample"
        yield Finding(
            check="kill_matrix",
            severity="note" if is_sample else "warning",
            message=f"case {case.name} catches no wrong solution and no mutant",
            remedy="keep it if it explains the problem"
            if is_sample
            else "change it so that it catches a mistake, or remove it",
            file="problem.yaml",
        )


def _fragile(rows: tuple[KillRow, ...]) -> Iterator[Finding]:
    """Slow solutions do not run on all cases, so nothing is known about a second one that catches them."""
    for row in rows:
        if len(row.failed) == 1 and row.passed and row.verdict not in SLOW:
            yield Finding(
                check="kill_matrix",
                severity="note",
                message=f"only case {row.failed[0]} catches it",
                remedy="add a second case that catches it: one lucky draw lets it pass",
                file=f"submissions/{row.name}.py",
            )
