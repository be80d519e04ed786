"""Verify a package: run every check, one after the other, and collect their sections and findings in a report.

A mistake in the package is a finding, also if its code hangs or raises. An exception means that the sandbox failed.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from threading import Event
from typing import Any, TypeVar

from app.catalog.folder import digest
from app.catalog.package import Package
from app.catalog.verification_report import (
    CHECK_NAMES,
    TITLES,
    VERIFICATION_VERSION,
    CheckLine,
    CheckName,
    Finding,
    Mark,
    Report,
)
from app.catalog.verification_section import Section
from app.errors import JudgeFailed
from app.verification.calibration import check_calibration
from app.verification.code_failure import failure_finding
from app.verification.known_submissions import check_kill_matrix, check_known
from app.verification.limit_check import check_limits
from app.verification.lint import lint
from app.verification.mutation.strength import check_mutation
from app.verification.noise import measure_noise
from app.verification.package_texts import relocate, sources_by_file
from app.verification.reference import check_reference
from app.verification.trial import CheckResult, Effort, Material, Trial, VerificationPools, Watch
from app.verification.trivial import check_trivial

FULL = Effort()
NO_ANSWERS = "not run: first correct the reference"
C = TypeVar("C", bound=CheckResult[Any])


def verify(package: Package, pools: VerificationPools, watch: Watch, abort: Event, effort: Effort = FULL) -> Report:
    """Raises BoxLost, SandboxUnavailable, Aborted: the report then says nothing about the package."""
    begun = time.monotonic()
    trial = Trial(package=package, pools=pools, watch=watch, abort=abort, effort=effort)
    results = _CheckResults(package)
    reference = results.run("reference", lambda: check_reference(trial))
    cases = reference.cases if reference else ()
    known = results.run("known", lambda: check_known(trial, cases)) if cases else None
    if known is not None and known.is_disputed:
        cases = ()
    results.run("lint", lambda: lint(trial, cases))
    if cases:
        _check_answers(trial, results, Material(cases=cases, judged=known.judged if known else ()))
    for check in CHECK_NAMES:
        if check not in results.lines:
            results.skip(check, NO_ANSWERS)
    sources = sources_by_file(package)
    return Report(
        problem=package.slug,
        digest=digest(package.files),
        title=package.manifest.title,
        verified_at=datetime.now(UTC),
        seconds=round(time.monotonic() - begun, 2),
        is_quick=effort.is_quick,
        verification_version=VERIFICATION_VERSION,
        passed=not any(line.mark in ("failed", "skipped") for line in results.lines.values()),
        checks=tuple(results.lines[check] for check in CHECK_NAMES),
        findings=tuple(relocate(finding, sources) for finding in results.findings),
        versions=dict(reference.versions) if reference else {},
        **results.sections,
    )


@dataclass(slots=True)
class _CheckResults:
    """The lines, findings and sections of the checks that have run so far."""

    package: Package
    lines: dict[CheckName, CheckLine] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    sections: dict[CheckName, Section | None] = field(default_factory=dict)

    def run(self, check: CheckName, work: Callable[[], C]) -> C | None:
        """Return the check's result, or None with a finding if the package's code failed."""
        begun = time.monotonic()
        try:
            checked = work()
        except JudgeFailed as failed:
            self.findings.append(failure_finding(check, failed, self.package))
            self._add_line(check, "failed", "could not be checked", time.monotonic() - begun)
            return None
        self.sections[check] = checked.section
        self.findings += checked.findings
        self._add_line(check, _mark(checked.findings), checked.summary, time.monotonic() - begun)
        return checked

    def skip(self, check: CheckName, why: str) -> None:
        self._add_line(check, "skipped", why, 0.0)

    def _add_line(self, check: CheckName, mark: Mark, summary: str, seconds: float) -> None:
        self.lines[check] = CheckLine(
            check=check, title=TITLES[check], mark=mark, summary=summary, seconds=round(seconds, 2)
        )


def _mark(findings: tuple[Finding, ...]) -> Mark:
    severities = {finding.severity for finding in findings}
    return "failed" if "error" in severities else "warned" if "warning" in severities else "passed"


def _check_answers(trial: Trial, results: _CheckResults, material: Material) -> None:
    """Run the checks that compare answers with the reference's."""
    results.run("trivial", lambda: check_trivial(trial, material))
    noise = cache(lambda: measure_noise(trial, material))
    mutation = results.run("mutation", lambda: check_mutation(trial, material, noise()))
    mutants, signal = (mutation.section, mutation.signal) if mutation else (None, ())
    results.run("kill_matrix", lambda: check_kill_matrix(trial.effort, material, mutants))
    results.run("calibration", lambda: check_calibration(trial, material, noise(), signal))
    results.run("limits", lambda: check_limits(trial, material))
