"""The report of verifying a package. `model_dump_json` is its JSON form.

`checks` has a line for each check, in their order; `findings` is what an author has to know, each with its remedy; a
section is None when its check was not run.

What the checks are called before people.

The report of a package that can't even be read: its faults, and no check made.

The report of a package whose verification was ended because it took too long.
"""

from datetime import UTC, datetime
from typing import Literal, get_args

from pydantic import AliasChoices, Field

from app.catalog.fault import Fault, PackageInvalid
from app.catalog.folder import digest
from app.catalog.package import Package
from app.catalog.verification_section import (
    CalibrationSection,
    KillMatrixSection,
    KnownSection,
    LimitsSection,
    LintSection,
    MistakesSection,
    MutationSection,
    ReferenceSection,
    Section,
    TrivialSection,
)

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


TITLES: dict[CheckName, str] = {
    "lint": "files and texts",
    "reference": "the reference, twice",
    "known": "known submissions",
    "trivial": "trivial answers",
    "mutation": "mutants of the reference",
    "kill_matrix": "what each case catches",
    "calibration": "the tolerance",
    "limits": "limits and cost",
    "mistakes": "telling mistakes apart",
}

UNREADABLE = "the package can't be read yet"


def report_of(invalid: PackageInvalid, *, is_quick: bool = False) -> Report:
    count = len(invalid.problems)
    lines = [
        CheckLine(check=check, title=TITLES[check], mark="skipped", summary=UNREADABLE) for check in CHECK_NAMES[1:]
    ]
    summary = "1 fault" if count == 1 else f"{count} faults"
    return Report(
        problem=invalid.slug,
        digest="",
        title=invalid.slug,
        verified_at=datetime.now(UTC),
        seconds=0.0,
        is_quick=is_quick,
        passed=False,
        checks=(CheckLine(check="lint", title=TITLES["lint"], mark="failed", summary=summary), *lines),
        findings=tuple(map(_finding, invalid.problems)),
    )


def _finding(fault: Fault) -> Finding:
    message = f"{fault.key} {fault.message}".strip()
    line = fault.line or None
    return Finding(check="lint", severity="error", message=message, remedy=fault.remedy, file=fault.file, line=line)


REMEDY = (
    "draw smaller inputs, lower limits.wall_seconds, or leave out cases and known solutions that run into the limits; "
    "`allclose problem verify` shows on your machine which step takes how long"
)


def report_overdue(package: Package, seconds: float, step: str) -> Report:
    """`step`: the one that ran when the time was over."""
    where = f" in the step “{step}”" if step else ""
    message = f"the verification took more than {seconds / 60:.0f} minutes and was ended{where}"
    lines = (
        CheckLine(
            check=check,
            title=TITLES[check],
            mark="failed" if check == "limits" else "skipped",
            summary="took too long" if check == "limits" else "the verification was ended",
        )
        for check in CHECK_NAMES
    )
    return Report(
        problem=package.slug,
        digest=digest(package.files),
        title=package.manifest.title,
        verified_at=datetime.now(UTC),
        seconds=round(seconds, 2),
        is_quick=False,
        passed=False,
        checks=tuple(lines),
        findings=(Finding(check="limits", severity="error", message=message, remedy=REMEDY),),
    )
