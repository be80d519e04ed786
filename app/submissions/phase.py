"""What a judging's time goes into, one phase after the other."""

from datetime import datetime
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from app.submissions.model import Judging

# queued: it waits. preparing: expected outputs are read, or the reference makes them. box: one is taken, or started.
# running: the submission's code, on one case after the other. inspecting: how its programs compute. again: one case
# once more, in a new process. waiting: for a quieter machine, where cases ran out of time on an overloaded one.
# checking: its answers are compared, between the others.
PhaseName = Literal["queued", "preparing", "box", "running", "inspecting", "again", "waiting", "checking"]


class Phase(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: PhaseName
    seconds: float | None = Field(description="null: it goes on, or was broken off")


def read_phases(judging: "Judging") -> tuple[Phase, ...]:
    """Of the latest attempt. Nothing but `queued` while it waits, also where it waits again."""
    told = () if judging.state == "queued" else tuple(map(Phase.model_validate, judging.phases or ()))
    return (Phase(name="queued", seconds=_seconds(judging.queued_at, _taken_at(judging))), *told)


def _taken_at(judging: "Judging") -> datetime | None:
    return None if judging.state == "queued" else judging.started_at or judging.finished_at


def _seconds(start: datetime, end: datetime | None) -> float | None:
    return None if end is None else round((end - start).total_seconds(), 3)
