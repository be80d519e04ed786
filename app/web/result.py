"""What the page says about a submission while it waits, is judged, and is done."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.judging.verdicts import Verdict
from app.submissions.model import Mode
from app.submissions.outlook import Outlook
from app.submissions.series import fold, series_of
from app.submissions.view import CaseView, SubmissionView
from app.web.verdict_words import words_for

AGAIN = "Our fault: the judging broke off, and it is being judged again. "
HIDDEN = "Hidden cases show no values: think of the sizes and values that the statement allows."


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A case at its place in the problem; None while it has no result.

    `count`: of a series, how many cases came out like this; then `case` has the most time and memory of any.
    """

    number: int
    name: str
    case: CaseView | None
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """`place` names the case that `sentence` is about, or is empty. `is_judged`: there is a verdict.

    `hint`: on a known mistake, or empty; while it may follow, `is_final` is false.
    """

    title: str
    sentence: str
    tone: str
    icon: str
    place: str = ""
    tally: str = ""
    is_judged: bool = False
    is_final: bool = False
    hint: str = ""
    rows: Sequence[Row] = ()
    parameters: Sequence[str] = ()
    first_failure: CaseView | None = None


def describe_result(view: SubmissionView, mode: Mode, outlook: Outlook) -> Result:
    if view.verdict is None:
        return _waiting(view, outlook)
    words = words_for(view.verdict)
    failure = next((case for case in view.cases if case.verdict == view.verdict), None)
    place, sentence = _explain(view, mode, failure if view.verdict is not Verdict.ACCEPTED else None)
    return Result(
        title=words.title,
        sentence=sentence,
        tone=words.tone,
        icon=words.icon,
        place=place,
        tally=_tally(view.cases) if view.verdict is not Verdict.JUDGE_ERROR else "",
        is_judged=True,
        is_final=not view.hint_pending,
        hint=capitalise(view.hint or ""),
        rows=[row for row in _rows(view, outlook) if row.case is not None],
        parameters=outlook.parameters,
        first_failure=_first_failure(view.cases),
    )


def _waiting(view: SubmissionView, outlook: Outlook) -> Result:
    again = AGAIN if outlook.is_again else ""
    done, expected = len(view.cases), len(outlook.cases)
    if view.state == "queued" or view.notice:
        title = "In the queue"
        sentence = f"{view.notice or 'A worker takes it as soon as one is free.'} This page updates by itself."
    else:
        title, sentence = "Judging …", f"{done} of {expected} cases done." if done else "Starting."
    return Result(
        title=title,
        sentence=again + sentence,
        tone="wait",
        icon="wait",
        rows=_rows(view, outlook),
        parameters=outlook.parameters,
        first_failure=_first_failure(view.cases),
    )


def _rows(view: SubmissionView, outlook: Outlook) -> list[Row]:
    """They fill up in the order in which the cases are judged, and none moves."""
    found = {case.name: case for case in view.cases}
    rows = [Row(number=place + 1, name=name, case=found.get(name)) for place, name in enumerate(outlook.cases)]
    return [_joined(group) for group in fold(rows, lambda row: row.name, _outcome)]


def _outcome(row: Row) -> Hashable:
    """What samples show is told of each."""
    if row.case is None:
        return None
    if row.case.visibility == "sample":
        return row.name
    return row.case.verdict, row.case.report.get("category")


def _joined(group: Sequence[Row]) -> Row:
    first = group[0]
    if len(group) == 1:
        return first
    name, count = series_of(first.name), len(group)
    cases = [row.case for row in group if row.case is not None]
    if not cases:
        return replace(first, name=name, count=count)
    # Sealed cases have none.
    wall_seconds = max((case.wall_seconds for case in cases if case.wall_seconds is not None), default=None)
    memory_bytes = max((case.memory_bytes for case in cases if case.memory_bytes is not None), default=None)
    slowest = {"name": name, "wall_seconds": wall_seconds, "memory_bytes": memory_bytes}
    return replace(first, name=name, case=cases[0].model_copy(update=slowest), count=count)


def _first_failure(cases: Sequence[CaseView]) -> CaseView | None:
    return next((case for case in cases if case.verdict is not Verdict.ACCEPTED), None)


def _explain(view: SubmissionView, mode: Mode, failure: CaseView | None) -> tuple[str, str]:
    """The case and the sentence that help most."""
    if view.verdict is Verdict.ACCEPTED and mode == "sample":
        return "", "Every sample case is within tolerance. Submit it to run the hidden cases too."
    if view.verdict is None or failure is None or view.verdict is Verdict.JUDGE_ERROR:
        return "", words_for(view.verdict or Verdict.JUDGE_ERROR).advice
    message = message_of(failure.report)
    if view.verdict is Verdict.INVALID_SUBMISSION and message:
        return "", f"{message}. No case was run."
    if failure.visibility == "sample" and message:
        return failure.name, message
    category = failure.report.get("category") or words_for(failure.verdict).title
    return failure.name, f"{capitalise(str(category))}. {HIDDEN}"


def _tally(cases: Sequence[CaseView]) -> str:
    return f"{sum(case.verdict is Verdict.ACCEPTED for case in cases)} of {len(cases)}" if cases else ""


def message_of(report: Mapping[str, Any]) -> str:
    """What a sample case's report says, as a sentence; empty for a hidden one."""
    message = str(report.get("message") or "")
    exception = report.get("exception")
    return f"{exception['type']}: {message}" if exception else capitalise(message)


def capitalise(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
