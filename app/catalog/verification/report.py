"""The report of verifying a package. `model_dump_json` is its JSON form.

`checks` has a line for each check, in their order; `findings` is what an author has to know, each with its remedy; a
section is None when its check was not run.
"""

from datetime import datetime
from typing import Literal, get_args

from pydantic import AliasChoices, Field

from app.catalog.verification.section import (
    KillMatrixSection,
    KnownSection,
    LimitsSection,
    LintSection,
    MistakesSection,
    ReferenceSection,
    Section,
    TrivialSection,
)
from app.catalog.verification.strength import CalibrationSection, MutationSection

CheckName = Literal[
    "lint", "reference", "known", "trivial", "mutation", "kill_matrix", "calibration", "limits", "mistakes"
]
Severity = Literal["error", "warning", "note"]
Mark = Literal["passed", "warned", "failed", "skipped"]
CHECK_NAMES: tuple[CheckName, ...] = get_args(CheckName)


class Finding(Section):
    """`file` is a path inside the package; `line` counts from 1. `details`: such as a diff, or values."""

    check: CheckName
    severity: Severity
    message: str
    remedy: str = ""
    file: str | None = None
    line: int | None = None
    details: str = ""


class CheckLine(Section):
    """`summary`: what was looked at and came of it, in half a line; for a skipped check, why it was."""

    check: CheckName
    title: str
    mark: Mark
    summary: str
    seconds: float = 0.0


class Report(Section):
    problem: str
    digest: str = Field(validation_alias=AliasChoices("digest", "revision"))
    title: str
    verified_at: datetime
    seconds: float
    is_quick: bool
    passed: bool
    checks: tuple[CheckLine, ...]
    findings: tuple[Finding, ...]
    versions: dict[str, str] = Field(default={}, description="of what the boxes ran")
    lint: LintSection | None = None
    reference: ReferenceSection | None = None
    known: KnownSection | None = None
    trivial: TrivialSection | None = None
    mutation: MutationSection | None = None
    kill_matrix: KillMatrixSection | None = None
    calibration: CalibrationSection | None = None
    limits: LimitsSection | None = None
    mistakes: MistakesSection | None = None

    def findings_of(self, check: CheckName) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.check == check)
