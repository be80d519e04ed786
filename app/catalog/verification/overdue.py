"""The report of a package whose verification was ended because it took too long."""

from datetime import UTC, datetime

from app.catalog.package import Package
from app.catalog.revision import digest
from app.catalog.verification.report import CHECK_NAMES, CheckLine, Finding, Report
from app.catalog.verification.title import TITLES

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
