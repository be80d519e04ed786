"""What a submission's owner is shown: the object of `GET /submissions/{id}`, and of `allclose judge --json`."""

from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from app.judging.verdicts import CaseResult, Verdict, Visibility
from app.submissions.phase import Phase

if TYPE_CHECKING:
    from app.submissions.model import CaseRow

Mode = Literal["submit", "sample"]
State = Literal["queued", "judging", "done"]


class Wait(BaseModel):
    """While it is not done. `seconds` is None where nothing like it was judged lately, or it takes unusually long."""

    model_config = ConfigDict(frozen=True)

    ahead: int = Field(description="how many are taken before it; 0 once it is judged")
    seconds: float | None = Field(description="an estimate of the time until its verdict; null where there is none")
    elapsed: float = Field(description="seconds since it was sent")


class CaseView(BaseModel):
    """`report` holds only what the student may see of this case; so do `wall_seconds` and `memory_bytes`."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    name: str
    visibility: Visibility
    verdict: Verdict
    wall_seconds: float | None
    memory_bytes: int | None
    report: dict[str, Any]


class SubmissionView(BaseModel):
    """`problem` is a slug.

    `cases` stand in the problem's order, and fill up in another while `state` is judging.
    """

    model_config = ConfigDict(frozen=True)

    id: UUID
    problem: str
    title: str = Field(description="of the problem")
    revision: int | None = Field(
        description="the number of the revision that it was judged on; null for a folder, which has none"
    )
    digest: str = Field(description="names the content of that revision")
    mode: Mode
    parameters: tuple[str, ...] = Field(
        description="the names of a case's inputs in their order, which `inputs` has not"
    )
    case_names: tuple[str, ...] = Field(description="of all cases that there will be a result of, in their order")
    created_at: datetime
    inputs: str | None = Field(None, description="YAML that was run on in place of the sample cases; null otherwise")
    state: State
    verdict: Verdict | None
    score: int | None
    cases: tuple[CaseView, ...]
    notice: str | None = Field(None, description="a sentence for people: why nobody judges it now; null otherwise")
    hint: str | None = Field(
        None, description="what is wrong, when the answers are those of a known mistake; null otherwise"
    )
    hint_pending: bool = Field(False, description="done, and a `hint` may follow soon")
    wait: Wait | None = Field(None, description="how long it may still take; null when it is done")
    phases: tuple[Phase, ...] = Field((), description="what its time went into so far; the last one may go on")
    is_again: bool = Field(False, description="an earlier attempt broke off by our fault, and it is judged once more")


def view_case(result: "CaseResult | CaseRow") -> CaseView:
    return CaseView.model_validate(result)
