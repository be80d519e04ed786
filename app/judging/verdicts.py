"""The verdicts of cases and submissions, and the result of a judging.

Only a submission can be `cancelled`: its judging was stopped for good.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from app.judging.efficiency import TimeComparison


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
    """Return the first verdict in case order that is not `accepted`. A `judge_error` in any case comes first."""
    if not verdicts or Verdict.JUDGE_ERROR in verdicts:
        return Verdict.JUDGE_ERROR
    return next((verdict for verdict in verdicts if verdict is not Verdict.ACCEPTED), Verdict.ACCEPTED)


def score(verdicts: Sequence[Verdict]) -> int:
    """Return the share of accepted cases in percent, rounded down: 100 means all."""
    if not verdicts:
        return 0
    return 100 * sum(verdict is Verdict.ACCEPTED for verdict in verdicts) // len(verdicts)


def score_by_points(points: Mapping[str, int], part_of: Mapping[str, str], verdicts: Mapping[str, Verdict]) -> int:
    """Return the sum of the points of the parts that `earns_points` accepts.

    `points`: by part. `part_of`: the part of each case. `verdicts`: by case.
    """
    return sum(number for part, number in points.items() if earns_points(part, part_of, verdicts))


def earns_points(part: str, part_of: Mapping[str, str], verdicts: Mapping[str, Verdict]) -> bool:
    """Whether the part was judged, and all of its judged cases are accepted."""
    own = [verdict for case, verdict in verdicts.items() if part_of.get(case) == part]
    return bool(own) and all(verdict is Verdict.ACCEPTED for verdict in own)


Visibility = Literal["sample", "hidden"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """The result of one case. `report` is JSON-ready and holds only what the student may see.

    `tolerance_used` is for authors only: the largest share of the tolerance that a leaf used; 1.0 is at the limit.
    """

    position: int
    name: str
    visibility: Visibility
    verdict: Verdict
    wall_seconds: float | None
    memory_bytes: int | None
    report: dict[str, Any]
    tolerance_used: float | None = None


# - queued: no worker has it. preparing: reading the expected outputs, or computing them with the reference.
# - box: taking or starting a box. running: the submission's code runs. inspecting: its programs are checked.
# - again: a case runs again in a new process. timing: its time is compared with the reference's.
# - waiting: a case timed out, or was slower than allowed, on a machine that was overloaded.
# - checking: comparing the answers, while cases run.
PhaseName = Literal["queued", "preparing", "box", "running", "inspecting", "again", "timing", "waiting", "checking"]


class Phase(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: PhaseName
    seconds: float | None = Field(description="null while the phase goes on, or if it was interrupted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """The result of a judging. `cases` are in order of position. `times`: beside the reference's, if they count.

    `hint`: for a recognised known mistake. `hint_pending`: a hint may follow. `phases`: for the student. `spent`: exact
    seconds per phase, for metrics.
    """

    verdict: Verdict
    score: int
    cases: Sequence[CaseResult]
    image: str
    versions: Mapping[str, str]
    times: TimeComparison | None = None
    hint: str | None = None
    hint_pending: bool = False
    phases: Sequence[Phase] = ()
    spent: Mapping[str, float] = field(default_factory=dict)
