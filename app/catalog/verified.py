"""`verified.json` in the folder of the packages: the last whole verification that each package passed.

A package whose digest is recorded, by the same version of the checks, need not be verified again. Shipped packages must
all be recorded; a test compares.
"""

import json
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from app.catalog.folder import MANIFEST_FILE, digest_folder
from app.catalog.verification_report import VERIFICATION_VERSION, Report, Severity
from app.errors import Invalid

FILE = "verified.json"


class VerifiedPackage(BaseModel):
    """`findings` counts those of each severity."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    digest: str
    verification_version: int
    date: date
    seconds: float
    findings: dict[Severity, int]
    strength: float | None
    cases: int


def verified_package(report: Report, cases: int) -> VerifiedPackage:
    """`cases`: how many the package has."""
    severities = [finding.severity for finding in report.findings]
    counts: dict[Severity, int] = {each: severities.count(each) for each in ("error", "warning", "note")}
    return VerifiedPackage(
        digest=report.digest,
        verification_version=report.verification_version,
        date=report.verified_at.date(),
        seconds=round(report.seconds, 1),
        findings=counts,
        strength=report.mutation.strength if report.mutation else None,
        cases=cases,
    )


@dataclass(slots=True)
class VerifiedPackages:
    """The records of a folder, by slug."""

    folder: Path
    records: dict[str, VerifiedPackage] = field(default_factory=dict)

    @staticmethod
    def read(folder: Path) -> "VerifiedPackages":
        """Read the records; there are none without a file. Raises Invalid."""
        file = folder / FILE
        if not file.is_file():
            return VerifiedPackages(folder)
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
            records = {slug: VerifiedPackage.model_validate(record) for slug, record in content.items()}
        except (ValueError, AttributeError, ValidationError) as error:
            raise Invalid(FILE, f"{file} can't be read: {error}; remove it, and verify with --record again") from None
        return VerifiedPackages(folder, records)

    def find_current(self, slug: str) -> VerifiedPackage | None:
        """Return the record of this package, unless its files or the checks have changed since."""
        record = self.records.get(slug)
        if record is None or record.verification_version != VERIFICATION_VERSION:
            return None
        return record if record.digest == digest_folder(self.folder / slug) else None

    def record(self, report: Report, cases: int) -> None:
        """Record a whole verification at once, so that an interruption loses none. A refused package has no record."""
        if report.is_quick:
            return
        self.records.pop(report.problem, None)
        if report.passed:
            self.records[report.problem] = verified_package(report, cases)
        self._write()

    def _write(self) -> None:
        """Write a line for each package that exists."""
        lines = [
            f"  {json.dumps(slug)}: {record.model_dump_json()}"
            for slug, record in sorted(self.records.items())
            if (self.folder / slug / MANIFEST_FILE).is_file()
        ]
        copy = self.folder / f".{FILE}"
        copy.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        copy.replace(self.folder / FILE)


def list_changed(folder: Path) -> list[str]:
    """List the packages of a folder that `verified.json` does not record as they are."""
    verified = VerifiedPackages.read(folder)
    slugs = sorted(path.parent.name for path in folder.glob(f"*/{MANIFEST_FILE}"))
    return [slug for slug in slugs if verified.find_current(slug) is None]
