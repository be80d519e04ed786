"""Verifying a package: its checks, each one file, with one function that gives a section and findings.

Whatever the package does is a finding: a reference that hangs, a generator that is random, a checker.py that raises.
"""

import time
from datetime import UTC, datetime
from functools import cache
from threading import Event

from app.catalog.package import Package
from app.catalog.revision import digest
from app.catalog.verification.report import CHECK_NAMES, Report
from app.worker.verification.bench import Bench
from app.worker.verification.calibration import check_calibration
from app.worker.verification.course import Course
from app.worker.verification.kill_matrix import check_kill_matrix
from app.worker.verification.known import check_known
from app.worker.verification.limits import check_limits
from app.worker.verification.lint import lint
from app.worker.verification.mistakes import check_mistakes
from app.worker.verification.mutation.strength import check_mutation
from app.worker.verification.noise import measure_noise
from app.worker.verification.place import placed, places_of
from app.worker.verification.reference import check_reference
from app.worker.verification.trial import CheckedReference, Effort, Material, Trial, Watch
from app.worker.verification.trivial import check_trivial

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
