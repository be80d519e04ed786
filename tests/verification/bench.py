"""Small packages to change, and real boxes, for the tests of verification."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

from app.catalog.package import Package, load_package, package_from_files
from app.catalog.verification_report import CheckName, Report, Severity
from app.engine.prepare import PreparedCase
from app.judging.verdicts import Visibility
from app.settings import Settings
from app.verification.reference import check_reference
from app.verification.trial import (
    Effort,
    KnownJudging,
    Material,
    Trial,
    VerificationPools,
    open_pools,
    private_launcher,
)
from app.verification.verify import verify
from sandbox.guest.codec import Tree, encode

PACKAGES = Path(__file__).parent / "packages"
QUICK = Effort(is_quick=True, mutants=10)
FULL = Effort(mutants=20)
NO_MUTANTS = Effort(is_quick=True, mutants=0)


@contextmanager
def opened_pools() -> Iterator[VerificationPools]:
    settings = Settings(sandbox="bubblewrap")
    with private_launcher(settings) as launcher, open_pools(settings, launcher) as pools:
        yield pools


def package_of(slug: str) -> Package:
    return load_package(PACKAGES / slug)


def changed(slug: str, *changes: tuple[str, str]) -> Package:
    """Return the package with texts of its problem.yaml replaced; each must occur there."""
    text = (PACKAGES / slug / "problem.yaml").read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return package_from_files(slug, {"problem.yaml": text.encode()})


def make_case(
    name: str, expected: Tree = None, inputs: Mapping[str, Any] | None = None, visibility: Visibility = "hidden"
) -> PreparedCase:
    return PreparedCase(
        position=0,
        name=name,
        visibility=visibility,
        inputs=encode(dict(inputs or {})),
        expected=encode(expected),
        inputs_preview={},
        expected_preview=None,
    )


def trial_of(package: Package, pools: VerificationPools, effort: Effort = Effort()) -> Trial:  # noqa: B008
    return Trial(package=package, pools=pools, watch=lambda *_: None, abort=Event(), effort=effort)


def material_of(trial: Trial) -> Material:
    """Run the reference and judge the known submissions."""
    cases = check_reference(trial).cases
    judged = [
        KnownJudging(submission=each, attempt=trial.attempt(each.source, cases)) for each in trial.package.submissions
    ]
    return Material(cases=cases, judged=tuple(judged))


def verified(package: Package, pools: VerificationPools, effort: Effort = QUICK) -> Report:
    """Verify a package. Each finding has a remedy, and names a file that the package has or needs."""
    report = verify(package, pools, lambda *_: None, Event(), effort)
    assert [finding for finding in report.findings if not finding.remedy or not finding.file] == []
    return report


def said(report: Report, severity: Severity = "error") -> list[tuple[CheckName, str]]:
    return [(finding.check, finding.message) for finding in report.findings if finding.severity == severity]
