"""What a judging's time goes into, one phase after the other."""

from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

# queued: it waits. preparing: expected outputs are read, or the reference makes them. box: one is taken, or started.
# running: the submission's code, on one case after the other. inspecting: how its programs compute. again: one case
# once more, in a new process. checking: its answers are compared, between the others.
PhaseName = Literal["queued", "preparing", "box", "running", "inspecting", "again", "checking"]
PHASES: tuple[PhaseName, ...] = get_args(PhaseName)


class Phase(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: PhaseName
    seconds: float | None = Field(description="null: it goes on, or was broken off")
