"""How a judging came out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.judging.result import CaseResult
from app.judging.verdicts import Verdict
from app.submissions.phase import Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """How a judging came out; `cases` in order of position.

    `hint`: on a known mistake; `hint_pending`: it may follow. `phases`: as they are told; `spent`: what they took, for
    those who run the worker.
    """

    verdict: Verdict
    score: int
    cases: Sequence[CaseResult]
    image: str
    versions: Mapping[str, str]
    hint: str | None = None
    hint_pending: bool = False
    phases: Sequence[Phase] = ()
    spent: Mapping[str, float] = field(default_factory=dict)
