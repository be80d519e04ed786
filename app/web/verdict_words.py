"""The title, advice, tone and icon of each verdict.

A tone is a colour. It always comes with an icon and words, for readers who can't see the colour.
"""

from dataclasses import dataclass, replace
from typing import Literal

from app.judging.verdicts import Verdict
from app.web.messages import gettext as _
from app.web.messages import later

Tone = Literal["good", "bad", "limit", "fault", "none"]


@dataclass(frozen=True, slots=True)
class Words:
    title: str
    advice: str
    tone: Tone
    icon: str


WORDS: dict[Verdict, Words] = {
    Verdict.ACCEPTED: Words(later("Accepted"), later("All cases are within tolerance."), "good", "check"),
    Verdict.WRONG_ANSWER: Words(
        later("Wrong answer"), later("Your code ran, but at least one output is outside the tolerance."), "bad", "cross"
    ),
    Verdict.REQUIREMENT_NOT_MET: Words(
        later("Requirement not met"),
        later("The values may be correct, but your code does not compute them as the problem requires."),
        "bad",
        "cross",
    ),
    Verdict.RUNTIME_ERROR: Words(
        later("Runtime error"), later("Your code raised an exception or crashed."), "bad", "warning"
    ),
    Verdict.TIME_LIMIT_EXCEEDED: Words(
        later("Time limit exceeded"),
        later("A case exceeded the time limit. Look for a Python loop over the data."),
        "limit",
        "clock",
    ),
    Verdict.MEMORY_LIMIT_EXCEEDED: Words(
        later("Memory limit exceeded"),
        later("A case exceeded the memory limit. Look for large temporary arrays."),
        "limit",
        "memory",
    ),
    Verdict.OUTPUT_LIMIT_EXCEEDED: Words(
        later("Output limit exceeded"),
        later("Your code printed or returned too much. Remove prints and return only what the problem asks for."),
        "limit",
        "memory",
    ),
    Verdict.INVALID_SUBMISSION: Words(
        later("Invalid submission"), later("Your code can't be loaded or called, so no case was run."), "bad", "warning"
    ),
    Verdict.JUDGE_ERROR: Words(
        later("Judge error"),
        later("Our fault, not yours: the judging failed. This submission does not count. Submit again later."),
        "fault",
        "wrench",
    ),
    Verdict.CANCELLED: Words(
        later("Cancelled"),
        later("The judging was stopped early. This submission has no score."),
        "none",
        "stop",
    ),
}


# Titles of sources that were not loaded, by the category of their cases. The verdict is the same.
INVALID_TITLES = {
    "syntax error": later("Syntax error"),
    "function not found": later("Function not found"),
    "class not found": later("Class not found"),
    "method not found": later("Method not found"),
}


def words_for(verdict: str) -> Words:
    """Return the words of a verdict in the reader's language."""
    words = WORDS[Verdict(verdict)]
    return replace(words, title=_(words.title), advice=_(words.advice))
