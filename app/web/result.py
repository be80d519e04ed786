"""The texts about a submission's result: in the queue, while it is judged, and when it is done."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from app.catalog.custom_inputs import UNANSWERED
from app.judging.checker import VALUES, number_text, pair_text
from app.judging.efficiency import TimeComparison
from app.judging.verdicts import Phase, PhaseName, Verdict
from app.submissions.view import CaseView, PartView, SubmissionView, Wait
from app.web.picture.leaf_values import wrong_leaves
from app.web.wording import INVALID_TITLES, words_for

if TYPE_CHECKING:
    from app.learning.progress import AcceptedSteps

WARM_SECONDS = 0.05  # no box starts faster than this
INTERPRETED = "No GPU was there, so an interpreter ran your kernels: this says nothing about their speed."
# Shorter series are listed case by case.
MANY = 10


@dataclass(frozen=True, slots=True)
class Step:
    """A phase of the judging. `start` and `width` are its place in the progress bar, in percent.

    `seconds` is None while the phase runs, or if it was interrupted; then it `is_over`.
    """

    name: PhaseName
    words: str
    seconds: float | None
    # Both grow with the time while the phase runs, which is no new result to send.
    start: float = field(default=0.0, compare=False)
    width: float = field(default=0.0, compare=False)
    is_over: bool = True


def list_steps(view: SubmissionView) -> list[Step]:
    """List the phases in order. The running one has the time since the others ended."""
    over = sum(phase.seconds or 0.0 for phase in view.phases)
    total = max(over, view.wait.elapsed if view.wait else 0.0)
    is_lost = view.state == "judging" and view.notice is not None  # no worker has it for now
    steps, start = [], 0.0
    for phase in view.phases:
        is_over = phase.seconds is not None or view.state == "done" or is_lost
        seconds = phase.seconds or 0.0 if is_over else total - over
        width = 100 * seconds / total if total else 0.0
        steps.append(Step(phase.name, _words(phase), phase.seconds, round(start, 2), round(width, 2), is_over))
        start += width
    return steps


def queue_sentence(wait: Wait) -> str:
    if wait.ahead:
        who = "1 submission is" if wait.ahead == 1 else f"{wait.ahead} submissions are"
        place = f"{who} ahead of yours."
    else:
        place = "Yours is next."
    if wait.seconds is None:
        return place
    return f"{place} Expect the verdict in {estimate_text(wait.seconds)}."


def progress_sentence(view: SubmissionView) -> str:
    done, expected = len(view.cases), len(view.case_names)
    what = f"{done} of {expected} cases done." if done else _now(view)
    if done and view.phases and view.phases[-1].name == "waiting":
        what = f"{what} {_now(view)}"
    left = view.wait.seconds if view.wait else None
    return what if left is None else f"{what} {f'{_capital(estimate_text(left))} left.'}"


def estimate_text(seconds: float) -> str:
    """Format an estimate, rounded coarsely."""
    if seconds < 5:
        return "less than 5 s"
    if seconds < 60:
        return f"about {5 * round(seconds / 5)} s"
    if seconds < 3600:
        return f"about {round(seconds / 60)} min"
    return "more than an hour"


def _now(view: SubmissionView) -> str:
    phase = view.phases[-1] if view.phases else None
    return f"{_words(phase)}." if phase is not None and phase.name != "queued" else "Starting."


def _words(phase: Phase) -> str:
    match phase.name:
        case "queued":
            return "In the queue"
        case "preparing":
            return "Preparing the cases"
        case "box" if phase.seconds is not None and phase.seconds < WARM_SECONDS:
            return "Getting a ready sandbox"
        case "box":
            return "Starting a sandbox"
        case "running":
            return "Running your code"
        case "inspecting":
            return "Inspecting your program"
        case "again":
            return "Rerunning one case"
        case "timing":
            return "Comparing your time with the reference's"
        case "waiting":
            return "Waiting until this machine is less busy, to rerun a slow case"
        case _:
            return "Comparing outputs"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


Item = TypeVar("Item")


def fold(
    items: Sequence[Item], name_of: Callable[[Item], str], outcome_of: Callable[[Item], Hashable]
) -> list[tuple[Item, ...]]:
    """Group the items of a long series (`random_1` … `random_100`) by outcome, each group at its first item's place."""
    series = [series_of(name_of(item)) for item in items]
    size = Counter(series)
    groups: dict[Hashable, list[Item]] = {}
    for place, (item, name) in enumerate(zip(items, series, strict=True)):
        key = (name, outcome_of(item)) if size[name] >= MANY else place
        groups.setdefault(key, []).append(item)
    return [tuple(group) for group in groups.values()]


def series_of(name: str) -> str:
    """Return `random` for `random_17`, and any other name unchanged."""
    numbered = re.fullmatch(r"(.+)_[0-9]+", name)
    return numbered[1] if numbered else name


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A case at its place in the problem, or None while it has no result.

    `count`: the number of cases of a series with this outcome; then `case` has their largest time and memory.
    """

    number: int
    name: str
    case: CaseView | None
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The content of the result. `place` names the case that `sentence` is about, or is empty.

    `is_judged`: there is a verdict. `hint` describes a known mistake, or is empty; while it may follow, `is_final` is
    false. `steps` are the phases. `next_steps` follow an accepted submission. Before the verdict, `elapsed` are the
    seconds since submission, and `stop` is the address that cancels it, empty if the student may not.
    """

    title: str
    sentence: str
    tone: str
    icon: str
    place: str = ""
    tally: str = ""
    tally_of: str = ""
    is_judged: bool = False
    is_final: bool = False
    hint: str = ""
    rows: Sequence[Row] = ()
    parts: Sequence[PartView] = ()
    times: TimeComparison | None = None
    parameters: Sequence[str] = ()
    first_failure: CaseView | None = None
    steps: Sequence[Step] = ()
    is_interrupted: bool = False
    stop: str = ""
    next_steps: "AcceptedSteps | None" = None
    elapsed: float | None = field(default=None, compare=False)

    @property
    def took(self) -> float | None:
        """Return the seconds of all phases, or None if the judging was interrupted."""
        if self.is_interrupted:
            return None
        seconds = [step.seconds for step in self.steps]
        return None if None in seconds else sum(each for each in seconds if each is not None)


def describe_result(view: SubmissionView) -> Result:
    if view.withheld is not None and view.state == "done":
        return _withheld(view)
    if view.verdict is None:
        return _waiting(view)
    words = words_for(view.verdict)
    failure = next((case for case in view.cases if case.verdict == view.verdict), None)
    place, sentence = _explain(view, failure if view.verdict is not Verdict.ACCEPTED else None)
    sentence = f"{sentence} {INTERPRETED}".strip() if view.is_interpreted else sentence
    return Result(
        title=_title(view, words.title),
        sentence=sentence,
        tone=words.tone,
        icon=words.icon,
        place=place,
        tally=_tally(view) if view.verdict is not Verdict.JUDGE_ERROR and view.inputs is None else "",
        tally_of=_tally_of(view),
        is_judged=True,
        is_final=not view.hint_pending,
        hint=capitalise(view.hint or ""),
        rows=[row for row in _rows(view) if row.case is not None],
        parts=view.parts if _has_points(view) else (),
        times=view.times,
        parameters=view.parameters,
        first_failure=_first_failure(view.cases),
        steps=list_steps(view),
        is_interrupted=view.verdict is Verdict.CANCELLED,
    )


def _title(view: SubmissionView, words: str) -> str:
    """Return the title. "Accepted" is only for submissions of all cases."""
    if any(case.report.get("category") == UNANSWERED for case in view.cases):
        return "No reference output"
    if view.verdict is Verdict.INVALID_SUBMISSION and view.cases:
        return title_of(view.cases[0])
    if view.verdict is not Verdict.ACCEPTED or view.mode == "submit":
        return words
    return "Correct for your inputs" if view.inputs is not None else "Sample cases passed"


def title_of(case: CaseView) -> str:
    """Return the title of a case's verdict. A source that was not loaded has the title of its mistake."""
    words = words_for(case.verdict).title
    is_invalid = case.verdict is Verdict.INVALID_SUBMISSION
    return INVALID_TITLES.get(str(case.report.get("category")), words) if is_invalid else words


def _withheld(view: SubmissionView) -> Result:
    return Result(
        title="Samples done" if view.cases else "Handed in",
        sentence=view.withheld or "",
        tone="none",
        icon="lock",
        is_final=True,
        rows=[row for row in _rows(view) if row.case is not None],
        parameters=view.parameters,
        first_failure=_first_failure(view.cases),
    )


def _waiting(view: SubmissionView) -> Result:
    again = "Our fault: the judging was interrupted. We are judging it again." + " " if view.is_again else ""
    if view.state == "queued" or view.notice:
        title = "In the queue"
        sentence = view.notice or (queue_sentence(view.wait) if view.wait else "")
    else:
        title, sentence = "Judging …", progress_sentence(view)
    return Result(
        title=title,
        sentence=" ".join(filter(None, (again + sentence, view.withheld))),
        tone="wait",
        icon="wait",
        rows=_rows(view),
        parts=view.parts if view.mode == "submit" else (),
        parameters=view.parameters,
        first_failure=_first_failure(view.cases),
        steps=list_steps(view),
        stop="" if view.withheld else f"/submissions/{view.id}/cancel",
        elapsed=view.wait.elapsed if view.wait else None,
    )


def _rows(view: SubmissionView) -> list[Row]:
    """Return the rows in case order. Rows fill up as cases are judged and never move."""
    found = {case.name: case for case in view.cases}
    rows = [Row(number=place + 1, name=name, case=found.get(name)) for place, name in enumerate(view.case_names)]
    return [_joined(group) for group in fold(rows, lambda row: row.name, _outcome)]


def _outcome(row: Row) -> Hashable:
    """Return the key by which cases are grouped. Sample cases are never grouped."""
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
    # Sealed cases have no time and memory.
    wall_seconds = max((case.wall_seconds for case in cases if case.wall_seconds is not None), default=None)
    memory_bytes = max((case.memory_bytes for case in cases if case.memory_bytes is not None), default=None)
    slowest = {"name": name, "wall_seconds": wall_seconds, "memory_bytes": memory_bytes}
    return replace(first, name=name, case=cases[0].model_copy(update=slowest), count=count)


def _has_points(view: SubmissionView) -> bool:
    """Whether a verdict gave points. A judge error and a cancellation give none."""
    return bool(view.parts) and view.mode == "submit" and view.score is not None


def _first_failure(cases: Sequence[CaseView]) -> CaseView | None:
    return next((case for case in cases if case.verdict is not Verdict.ACCEPTED), None)


def _explain(view: SubmissionView, failure: CaseView | None) -> tuple[str, str]:
    """Return the most helpful case and sentence."""
    if view.verdict is Verdict.ACCEPTED and view.inputs is not None:
        return "", "Your output matches the reference solution's within the tolerance. Submit to run all cases."
    if view.verdict is Verdict.ACCEPTED and view.mode == "sample":
        return "", "All sample cases are within tolerance. Submit to run the hidden cases too."
    if view.verdict is None or failure is None or view.verdict is Verdict.JUDGE_ERROR:
        return "", words_for(view.verdict or Verdict.JUDGE_ERROR).advice
    if view.times is not None and not view.times.is_met:
        return "", f"All answers are right, but it is too slow: {view.times.sentence}."
    message = _values_sentence(failure.report) or message_of(failure.report)
    if view.verdict is Verdict.INVALID_SUBMISSION and message:
        return "", f"{message}." if failure.report.get("category") == UNANSWERED else f"{message}. No case was run."
    if failure.visibility == "sample" and message:
        return failure.name, message
    hidden = "The values of hidden cases are not shown. Try other sizes and values that the statement allows."
    category = failure.report.get("category") or words_for(failure.verdict).title
    return failure.name, f"{capitalise(str(category))}. {hidden}"


def _values_sentence(report: Mapping[str, Any]) -> str:
    """Describe numbers of an array that are too far off, or return an empty text for any other difference."""
    worst = next(iter(wrong_leaves(report)), None)
    if worst is None or report["category"] != VALUES or worst["checker"] != "closeness" or not worst["worst_index"]:
        return ""
    answer, expected = pair_text(worst["worst_answer"], worst["worst_expected"])
    how_many = (
        "The number is too far off."
        if worst["size"] == 1
        else f"{worst['outside']} of {worst['size']} numbers {'is' if worst['outside'] == 1 else 'are'} too far off."
    )
    pair = (
        f"Yours is {answer}, expected is {expected}."
        if worst["size"] == 1
        else f"The worst is at {list(worst['worst_index'])}: yours is {answer}, expected is {expected}."
    )
    allowed = worst["worst_allowed"]
    margin = f"It may differ by {number_text(allowed)}." if allowed else ""
    where = f"{worst['path']}: " if worst["path"] else ""
    return f"{where}{how_many} {pair} {margin}".strip()


def _tally_of(view: SubmissionView) -> str:
    if _has_points(view):
        return "points"
    count = len(view.cases)
    if view.mode == "submit":
        return "case accepted" if count == 1 else "cases accepted"
    return "sample case passed" if count == 1 else "sample cases passed"


def _tally(view: SubmissionView) -> str:
    cases = view.cases
    if _has_points(view):
        earned, points = sum(part.earned or 0 for part in view.parts), sum(part.points for part in view.parts)
        return f"{earned} of {points}"
    if not cases:
        return ""
    accepted = sum(case.verdict is Verdict.ACCEPTED for case in cases)
    return f"{accepted} of {len(cases)}"


def message_of(report: Mapping[str, Any]) -> str:
    """Return the message of a sample case's report as a sentence, or an empty text for a hidden case."""
    message = str(report.get("message") or "")
    exception = report.get("exception")
    return f"{exception['type']}: {message}" if exception else capitalise(message)


def capitalise(sentence: str) -> str:
    """Capitalise the first word, unless it is an identifier such as `microbatched_grads`."""
    is_word = re.match(r"[a-z]+(?![\w(\[/=]|\.\w)", sentence)
    return sentence[:1].upper() + sentence[1:] if is_word else sentence
