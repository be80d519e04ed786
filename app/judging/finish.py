"""The end of a judging, as the engine returns it and the worker writes it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.judging.efficiency import TimeComparison
from app.judging.phase import Phase
from app.judging.verdicts import CaseResult, Verdict


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
