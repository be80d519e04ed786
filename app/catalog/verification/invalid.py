"""The report of a package that can't even be read: its faults, and no check made."""

from datetime import UTC, datetime

from app.catalog.fault import Fault, PackageInvalid
from app.catalog.verification.report import CHECK_NAMES, CheckLine, Finding, Report
from app.catalog.verification.title import TITLES

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
