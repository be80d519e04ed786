"""The course of a verification: runs its checks one after the other, and keeps what each says."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from app.catalog.verification.report import CheckLine, CheckName, Finding, Mark
from app.catalog.verification.section import Section
from app.catalog.verification.title import TITLES
from app.errors import JudgeFailed
from app.worker.verification.trial import Checked

C = TypeVar("C", bound=Checked[Any])


@dataclass(slots=True)
class Course:
    lines: dict[CheckName, CheckLine] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    sections: dict[CheckName, Section | None] = field(default_factory=dict)

    def run(self, check: CheckName, work: Callable[[], C]) -> C | None:
        """What the check gives, unless it could not be made: then that is a finding."""
        begun = time.monotonic()
        try:
            checked = work()
        except JudgeFailed as failed:
            self.findings.append(_failure(check, failed))
            self._note(check, "failed", "could not be checked", time.monotonic() - begun)
            return None
        self.sections[check] = checked.section
        self.findings += checked.findings
        self._note(check, _mark(checked.findings), checked.summary, time.monotonic() - begun)
        return checked

    def skip(self, check: CheckName, why: str) -> None:
        self._note(check, "skipped", why, 0.0)

    def _note(self, check: CheckName, mark: Mark, summary: str, seconds: float) -> None:
        self.lines[check] = CheckLine(
            check=check, title=TITLES[check], mark=mark, summary=summary, seconds=round(seconds, 2)
        )


def _mark(findings: tuple[Finding, ...]) -> Mark:
    severities = {finding.severity for finding in findings}
    return "failed" if "error" in severities else "warned" if "warning" in severities else "passed"


def _failure(check: CheckName, failed: JudgeFailed) -> Finding:
    """The package's own code failed, or answered what can't be used."""
    first, *_ = str(failed).splitlines()
    remedy = "run the code by itself and mend it: it must answer every case in the limits' time"
    return Finding(check=check, severity="error", message=first, remedy=remedy, details=str(failed))
