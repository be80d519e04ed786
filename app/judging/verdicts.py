"""Verdicts of cases and submissions, and the result of one judged case.

`cancelled` applies to submissions only: the judging was stopped.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal


class Verdict(StrEnum):
    ACCEPTED = "accepted"
    WRONG_ANSWER = "wrong_answer"
    REQUIREMENT_NOT_MET = "requirement_not_met"
    RUNTIME_ERROR = "runtime_error"
    TIME_LIMIT_EXCEEDED = "time_limit_exceeded"
    MEMORY_LIMIT_EXCEEDED = "memory_limit_exceeded"
    OUTPUT_LIMIT_EXCEEDED = "output_limit_exceeded"
    INVALID_SUBMISSION = "invalid_submission"
    JUDGE_ERROR = "judge_error"
    CANCELLED = "cancelled"


def overall(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the first verdict, in order of cases, that is not `accepted`. A `judge_error` in any case comes first."""
    if not verdicts or Verdict.JUDGE_ERROR in verdicts:
        return Verdict.JUDGE_ERROR
    return next((verdict for verdict in verdicts if verdict is not Verdict.ACCEPTED), Verdict.ACCEPTED)


def score(verdicts: Sequence[Verdict]) -> int:
    """Share of accepted cases in percent, rounded down: 100 means all of them."""
    if not verdicts:
        return 0
    return 100 * sum(verdict is Verdict.ACCEPTED for verdict in verdicts) // len(verdicts)


Visibility = Literal["sample", "hidden"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """`report` is JSON-ready and already limited to what the student may see."""

    position: int
    name: str
    visibility: Visibility
    verdict: Verdict
    wall_seconds: float | None
    memory_bytes: int | None
    report: dict[str, Any]
