"""The phases of a judging and the seconds that each took."""

from datetime import datetime
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from app.submissions.model import Judging

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


def read_phases(judging: "Judging") -> tuple[Phase, ...]:
    """Return the latest attempt's phases. A queued judging has only `queued`, also after a failed attempt."""
    later = () if judging.state == "queued" else tuple(map(Phase.model_validate, judging.phases or ()))
    return (Phase(name="queued", seconds=_seconds(judging.queued_at, _claimed_at(judging))), *later)


def _claimed_at(judging: "Judging") -> datetime | None:
    return None if judging.state == "queued" else judging.started_at or judging.finished_at


def _seconds(start: datetime, end: datetime | None) -> float | None:
    return None if end is None else round((end - start).total_seconds(), 3)
