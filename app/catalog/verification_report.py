"""The report of a verification, also of an unreadable package and of a verification that took too long."""

from collections import Counter
from datetime import UTC, datetime
from typing import Literal, get_args

from pydantic import Field

from app.catalog.fault import Fault, PackageInvalid
from app.catalog.folder import digest
from app.catalog.package import Package
from app.catalog.verification_section import (
    CalibrationSection,
    KillMatrixSection,
    KnownSection,
    LimitsSection,
    LintSection,
    MutationSection,
    ReferenceSection,
    Section,
    TrivialSection,
)

CheckName = Literal["lint", "reference", "known", "trivial", "mutation", "kill_matrix", "calibration", "limits"]
Severity = Literal["error", "warning", "note"]
Mark = Literal["passed", "warned", "failed", "skipped"]
CHECK_NAMES: tuple[CheckName, ...] = get_args(CheckName)
TITLES: dict[CheckName, str] = {
    "lint": "files and texts",
    "reference": "the reference, twice",
    "known": "known submissions",
    "trivial": "trivial answers",
    "mutation": "mutants of the reference",
    "kill_matrix": "what each case catches",
    "calibration": "the tolerance",
    "limits": "limits",
}
# Raise it when a check begins to find more: reports of earlier versions then no longer count.
VERIFICATION_VERSION = 2
UNREADABLE = "not run: first correct the errors below"
REMEDY = (
    "draw smaller inputs, lower limits.wall_seconds, or remove cases and known solutions that reach the limits; "
    "`allclose problem verify` on your machine shows how long each step takes"
)


class Finding(Section):
    """A fault with its remedy. `file` is inside the package, `line` counts from 1, `details` may be a diff."""

    check: CheckName
    severity: Severity
    message: str
    remedy: str = ""
    file: str | None = None
    line: int | None = None
    details: str = ""


class CheckLine(Section):
    """A check. `summary` is half a line: what was checked and how it came out, or why the check was skipped."""

    check: CheckName
    title: str
    mark: Mark
    summary: str
    seconds: float = 0.0


class Report(Section):
    """`checks` has a line for each check, in order. The section of a check that did not run is None."""

    problem: str
    digest: str
    title: str
    verified_at: datetime
    seconds: float
    is_quick: bool
    passed: bool
    checks: tuple[CheckLine, ...]
    findings: tuple[Finding, ...]
    versions: dict[str, str] = Field(default={}, description="of the libraries in the boxes")
    verification_version: int = Field(default=0, description="of the checks; 0 in reports from before it was counted")
    lint: LintSection | None = None
    reference: ReferenceSection | None = None
    known: KnownSection | None = None
    trivial: TrivialSection | None = None
    mutation: MutationSection | None = None
    kill_matrix: KillMatrixSection | None = None
    calibration: CalibrationSection | None = None
    limits: LimitsSection | None = None

    def findings_of(self, check: CheckName) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.check == check)

    def shown_checks(self) -> tuple[CheckLine, ...]:
        """Return the lines to show: checks that were skipped for one reason share a line."""
        skipped = [line for line in self.checks if line.mark == "skipped"]
        counts = Counter(line.summary for line in skipped)
        shared = {
            line.summary: line.model_copy(update={"title": f"{counts[line.summary]} other checks"})
            for line in skipped
            if counts[line.summary] > 1
        }
        lines = (shared.get(line.summary, line) if line.mark == "skipped" else line for line in self.checks)
        return tuple({line.title: line for line in lines}.values())


def report_of(invalid: PackageInvalid, *, is_quick: bool = False) -> Report:
    """Return the report of an unreadable package: its faults, and no check."""
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
        verification_version=VERIFICATION_VERSION,
        passed=False,
        checks=(CheckLine(check="lint", title=TITLES["lint"], mark="failed", summary=summary), *lines),
        findings=tuple(map(_finding, invalid.problems)),
    )


def with_faults(report: Report, invalid: PackageInvalid) -> Report:
    """Add the faults of the files that `report`, about the rest of the package, leaves out. It no longer passes."""
    faults = tuple(map(_finding, invalid.problems))
    broken = {finding.file for finding in faults}
    count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
    lint, *others = report.checks
    return report.model_copy(
        update={
            "digest": "",
            "passed": False,
            "checks": (lint.model_copy(update={"mark": "failed", "summary": f"{count}, and {lint.summary}"}), *others),
            "findings": (*faults, *(finding for finding in report.findings if finding.file not in broken)),
        }
    )


def _finding(fault: Fault) -> Finding:
    message = f"{fault.key} {fault.message}".strip()
    line = fault.line or None
    return Finding(check="lint", severity="error", message=message, remedy=fault.remedy, file=fault.file, line=line)


def report_overdue(package: Package, seconds: float, step: str) -> Report:
    """Return the report of a verification that took too long. `step` ran when the time was over."""
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
        verification_version=VERIFICATION_VERSION,
        passed=False,
        checks=tuple(lines),
        findings=(Finding(check="limits", severity="error", message=message, remedy=REMEDY),),
    )
