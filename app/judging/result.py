"""What judging one case comes to, and what judging a submission comes to."""

from dataclasses import dataclass
from typing import Any, Literal

from app.judging.verdicts import Verdict

Visibility = Literal["sample", "hidden"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """`report` is JSON-ready and already holds only what the student may see."""

    position: int
    name: str
    visibility: Visibility
    verdict: Verdict
    wall_seconds: float | None
    memory_bytes: int | None
    report: dict[str, Any]
