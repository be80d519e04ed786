"""Every solution of `submissions/` gets the verdict that its folder names."""

from collections.abc import Sequence

from app.catalog.package import KnownSubmission
from app.catalog.verification.report import Finding
from app.catalog.verification.section import KnownResult, KnownSection
from app.judging.requirement import plural
from app.judging.verdicts import Verdict
from app.worker.prepare import PreparedCase
from app.worker.verification.trial import FIRST_CASES, CheckedKnown, Judged, Trial

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
