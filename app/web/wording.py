"""Quantities formatted for people, and the title, advice, tone and icon of each verdict.

A tone is a colour. It always comes with an icon and words, for readers who can't see the colour.
"""

from dataclasses import dataclass
from typing import Literal

from app.judging.report import TIME_STEP
from app.judging.verdicts import Verdict, Visibility
from app.submissions.view import State

NONE = "–"
Tone = Literal["good", "bad", "limit", "fault", "none", "wait"]


def seconds_text(seconds: float | None) -> str:
    if seconds is None:
        return NONE
    if seconds >= 120:
        minutes, rest = divmod(round(seconds), 60)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.3g} s"


def short_seconds_text(seconds: float) -> str:
    """Format a time of any length with two digits: `53 µs`, `0.53 ms`, `12 ms`, `1.2 s`."""
    if seconds < 0.0001:
        return f"{1e6 * seconds:.2g} µs"
    return f"{float(f'{1000 * seconds:.2g}'):g} ms" if seconds < 1 else f"{float(f'{seconds:.2g}'):g} s"


def memory_text(size: int | None) -> str:
    """Format bytes as MiB."""
    if size is None:
        return NONE
    return f"{size / 2**20:.0f} MiB" if size >= 2**20 else "< 1 MiB"


def case_seconds_text(seconds: float | None, visibility: Visibility) -> str:
    """Format the time of a case. That of a hidden case is in tenths of a second, and the least one stands for less."""
    if seconds is None or visibility == "sample":
        return seconds_text(seconds)
    return f"{'≤ ' if seconds <= TIME_STEP else ''}{seconds:.1f} s" if seconds < 10 else seconds_text(seconds)


def case_memory_text(size: int | None, visibility: Visibility) -> str:
    """Format the memory of a case. That of a hidden case is rounded up."""
    return memory_text(size) if not size or visibility == "sample" else f"≤ {memory_text(size)}"


def percent_text(share: float) -> str:
    """Format a share, rounded down: 100 % means all."""
    return f"{int(100 * share + 1e-9)} %"


def size_text(size: int) -> str:
    """Format the size of a file or table in the unit that gives a number below 1000."""
    amount, units = size / 1024, ["KiB", "MiB", "GiB"]
    while amount >= 1000 and len(units) > 1:
        amount, units = amount / 1024, units[1:]
    return f"{amount:.1f} {units[0]}" if amount < 10 else f"{amount:.0f} {units[0]}"


@dataclass(frozen=True, slots=True)
class Words:
    title: str
    advice: str
    tone: Tone
    icon: str


WORDS: dict[Verdict, Words] = {
    Verdict.ACCEPTED: Words("Accepted", "All cases are within tolerance.", "good", "check"),
    Verdict.WRONG_ANSWER: Words(
        "Wrong answer", "Your code ran, but at least one output is outside the tolerance.", "bad", "cross"
    ),
    Verdict.REQUIREMENT_NOT_MET: Words(
        "Requirement not met",
        "The values may be correct, but your code does not compute them as the problem requires.",
        "bad",
        "cross",
    ),
    Verdict.RUNTIME_ERROR: Words("Runtime error", "Your code raised an exception or crashed.", "bad", "warning"),
    Verdict.TIME_LIMIT_EXCEEDED: Words(
        "Time limit exceeded",
        "A case exceeded the time limit. Look for a Python loop over the data.",
        "limit",
        "clock",
    ),
    Verdict.MEMORY_LIMIT_EXCEEDED: Words(
        "Memory limit exceeded",
        "A case exceeded the memory limit. Look for large temporary arrays.",
        "limit",
        "memory",
    ),
    Verdict.OUTPUT_LIMIT_EXCEEDED: Words(
        "Output limit exceeded",
        "Your code printed or returned too much. Remove prints and return only what the problem asks for.",
        "limit",
        "memory",
    ),
    Verdict.INVALID_SUBMISSION: Words(
        "Invalid submission", "Your code can't be loaded or called, so no case was run.", "bad", "warning"
    ),
    Verdict.JUDGE_ERROR: Words(
        "Judge error",
        "Our fault, not yours: the judging failed. This submission does not count. Submit again later.",
        "fault",
        "wrench",
    ),
    Verdict.CANCELLED: Words(
        "Cancelled",
        "The judging was stopped early. This submission has no score.",
        "none",
        "stop",
    ),
}


# Titles of sources that were not loaded, by the category of their cases. The verdict is the same.
INVALID_TITLES = {
    "syntax error": "Syntax error",
    "function not found": "Function not found",
    "class not found": "Class not found",
    "method not found": "Method not found",
}


# Of submissions without a verdict. That of a judging that is done is hidden (`app.courses.disclosure`).
STATE_WORDS: dict[State, Words] = {
    "queued": Words("In the queue", "", "wait", "wait"),
    "judging": Words("Judging …", "", "wait", "wait"),
    "done": Words("Result hidden", "", "none", "lock"),
}


def words_for(verdict: str | None, state: State = "done") -> Words:
    """Return the words of a verdict, or without one, of the state."""
    return STATE_WORDS[state] if verdict is None else WORDS[Verdict(verdict)]
