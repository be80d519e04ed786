"""The view of a submission for its owner: the object of `GET /submissions/{id}` and of `allclose judge --json`."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from app.judging.efficiency import TimeComparison
from app.judging.verdicts import CaseResult, Phase, Verdict, Visibility, earns_points
from app.validation import FrozenModel

if TYPE_CHECKING:
    from app.submissions.model import CaseRow

Mode = Literal["submit", "sample"]
State = Literal["queued", "judging", "done"]


class Wait(FrozenModel):
    """How long an unfinished submission has waited, and an estimate.

    `seconds` is None if there is no recent judging to compare with, or if this one takes unusually long.
    """

    ahead: int = Field(description="the number of submissions that are judged before it; 0 once its judging runs")
    seconds: float | None = Field(description="an estimate of the time until its verdict; null without one")
    elapsed: float = Field(description="seconds since it was sent")


class CaseView(BaseModel):
    """The result of a case. It holds only what the student may see: hidden cases have coarse numbers."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    name: str
    visibility: Visibility
    verdict: Verdict
    wall_seconds: float | None
    memory_bytes: int | None
    report: dict[str, Any]


class PartView(FrozenModel):
    """A part of the problem, and what the submission earned there."""

    name: str
    title: str
    points: int = Field(description="what the part counts")
    earned: int | None = Field(description="these points, or 0 if a case is not accepted; null without a score")
    accepted: int = Field(description="how many cases of the part are accepted so far")
    cases: int = Field(description="how many cases of the part the submission is judged on")


class SubmissionView(FrozenModel):
    """A submission with its results.

    `problem` is a slug. `cases` is in the problem's order; while `state` is judging, some cases are still missing.
    While an assignment hides results, only the samples' results are here, or none: `state` is done once they are there.
    """

    id: UUID
    problem: str
    title: str = Field(description="the problem's title")
    revision: int | None = Field(
        description="the number of the revision that it was judged on; null for a folder on disk"
    )
    digest: str = Field(description="the digest of that revision's files")
    mode: Mode
    parameters: tuple[str, ...] = Field(description="the names of a case's inputs, in their order")
    case_names: tuple[str, ...] = Field(description="the names of all cases that it is judged on, in their order")
    created_at: datetime
    inputs: str | None = Field(None, description="custom inputs as YAML, which replace the sample cases; else null")
    state: State
    verdict: Verdict | None
    score: int | None
    parts: tuple[PartView, ...] = Field((), description="points by part; empty if the problem has no parts")
    cases: tuple[CaseView, ...]
    times: TimeComparison | None = Field(
        None, description="its times beside the reference's, if the problem limits them and all answers are right"
    )
    notice: str | None = Field(None, description="a sentence that says why no worker judges it now; else null")
    hint: str | None = Field(None, description="an explanation, if the answers match a known mistake; else null")
    hint_pending: bool = Field(False, description="done, and a `hint`, or a better one, may follow soon")
    wait: Wait | None = Field(None, description="how long it may still take; null when it is done")
    phases: tuple[Phase, ...] = Field((), description="the phases so far; the last one may still go on")
    withheld: str | None = Field(
        None, description="a sentence that says what an assignment hides of the result, and until when; else null"
    )
    is_interpreted: bool = Field(
        False, description="an interpreter ran the kernels, since no GPU was there: nothing here tells their speed"
    )
    is_again: bool = Field(False, description="an earlier attempt failed by the judge's fault, and a new one runs")

    @property
    def is_solving(self) -> bool:
        """Whether all cases are accepted. Runs of the samples don't count."""
        return self.verdict is Verdict.ACCEPTED and self.mode == "submit"


def view_parts(
    manifest: Mapping[str, Any], case_names: Sequence[str], cases: Sequence[CaseView], *, has_score: bool
) -> tuple[PartView, ...]:
    """`manifest`: as JSON. `case_names`: all cases that the submission is judged on. `cases`: the results so far."""
    part_of = {case["name"]: case.get("part") for case in manifest.get("cases", ())}
    verdicts = {case.name: case.verdict for case in cases}

    def view(part: Mapping[str, Any]) -> PartView:
        name = part["name"]
        own = [case for case in case_names if part_of.get(case) == name]
        earned = part["points"] if earns_points(name, part_of, verdicts) else 0
        return PartView(
            name=name,
            title=part["title"],
            points=part["points"],
            earned=earned if has_score else None,
            accepted=sum(verdicts.get(case) is Verdict.ACCEPTED for case in own),
            cases=len(own),
        )

    return tuple(part for part in map(view, manifest.get("parts") or ()) if part.cases)


def view_case(result: "CaseResult | CaseRow") -> CaseView:
    return CaseView.model_validate(result)
