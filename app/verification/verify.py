"""Verifying a package: its checks, each one file, with one function that gives a section and findings.

Whatever the package does is a finding: a reference that hangs, a generator that is random, a checker.py that raises.

The course of a verification: runs its checks one after the other, and keeps what each says.
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
from app.catalog.verification_report import CHECK_NAMES, TITLES, CheckLine, CheckName, Finding, Mark, Report
from app.catalog.verification_section import Section
from app.errors import JudgeFailed
from app.verification.calibration import check_calibration
from app.verification.file_place import placed, places_of
from app.verification.hint_collisions import check_mistakes
from app.verification.known_submissions import check_kill_matrix, check_known
from app.verification.limits import check_limits
from app.verification.lint import lint
from app.verification.mutation.strength import check_mutation
from app.verification.noise import measure_noise
from app.verification.reference import check_reference
from app.verification.trial import Bench, Checked, CheckedReference, Effort, Material, Trial, Watch
from app.verification.trivial import check_trivial

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


FULL = Effort()
NO_ANSWERS = "there are no answers to compare with"


def verify(package: Package, bench: Bench, watch: Watch, abort: Event, effort: Effort = FULL) -> Report:
    """Raises BoxLost, SandboxUnavailable, Aborted: those say nothing of the package."""
    begun = time.monotonic()
    trial = Trial(package=package, bench=bench, watch=watch, abort=abort, effort=effort)
    course = Course()
    reference = course.run("reference", lambda: check_reference(trial))
    course.run("lint", lambda: lint(trial, reference.cases if reference else ()))
    if reference is not None and reference.cases:
        _run_solutions(trial, course, reference)
    for check in CHECK_NAMES:
        if check not in course.lines:
            course.skip(check, NO_ANSWERS)
    places = places_of(package)
    return Report(
        problem=package.slug,
        digest=digest(package.files),
        title=package.manifest.title,
        verified_at=datetime.now(UTC),
        seconds=round(time.monotonic() - begun, 2),
        is_quick=effort.is_quick,
        passed=not any(line.mark in ("failed", "skipped") for line in course.lines.values()),
        checks=tuple(course.lines[check] for check in CHECK_NAMES),
        findings=tuple(placed(finding, places) for finding in course.findings),
        versions=dict(reference.versions) if reference else {},
        **course.sections,
    )


def _run_solutions(trial: Trial, course: Course, reference: CheckedReference) -> None:
    known = course.run("known", lambda: check_known(trial, reference.cases))
    material = Material(cases=reference.cases, judged=known.judged if known else ())
    course.run("trivial", lambda: check_trivial(trial, material))
    noise = cache(lambda: measure_noise(trial, material))
    mutation = course.run("mutation", lambda: check_mutation(trial, material, noise()))
    mutants = mutation.section if mutation else None
    course.run("kill_matrix", lambda: check_kill_matrix(trial.effort, material, mutants))
    course.run("calibration", lambda: check_calibration(trial, material, noise(), mutation.signal if mutation else ()))
    course.run("limits", lambda: check_limits(trial, material))
    course.run("mistakes", lambda: check_mistakes(trial, material))
