"""The title, advice, tone and icon of each verdict.

A tone is a colour. It always comes with an icon and words, for readers who can't see the colour.
"""

from dataclasses import dataclass
from typing import Literal

from app.judging.verdicts import Verdict

Tone = Literal["good", "bad", "limit", "fault", "none"]


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


def words_for(verdict: str) -> Words:
    """Return the words of a verdict."""
    return WORDS[Verdict(verdict)]
