"""The phases of a judging and the seconds that each took."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

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
