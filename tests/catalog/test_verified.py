"""`verified.json`: what is recorded of verified packages, and that each shipped package is recorded as it is."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from app.catalog.folder import digest, digest_folder
from app.catalog.package import load_package, load_packages
from app.catalog.sample_record import SampleRecord, write_sample_record
from app.catalog.verification_report import VERIFICATION_VERSION, Finding, Report
from app.catalog.verified import FILE, VerifiedPackages, list_changed
from app.errors import Invalid
from app.settings import ROOT
from tests.catalog.packages import write_package


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder with two packages."""
    for slug in ("first", "second"):
        write_package(tmp_path / slug)
    return tmp_path


def a_report(folder: Path, slug: str, **values: object) -> Report:
    whole = {
        "problem": slug,
        "digest": digest_folder(folder / slug),
        "title": "Scaled sum",
        "verified_at": datetime(2026, 1, 1, tzinfo=UTC),
        "seconds": 12.34,
        "is_quick": False,
        "verification_version": VERIFICATION_VERSION,
        "passed": True,
        "checks": (),
        "findings": (Finding(check="lint", severity="note", message="no quiz", remedy="write one"),),
    }
    return Report.model_validate(whole | values)


def test_a_package_that_passed_is_recorded_and_read_again(folder: Path) -> None:
    VerifiedPackages.read(folder).record(a_report(folder, "first"), cases=4)

    record = VerifiedPackages.read(folder).find_current("first")

    assert record is not None
    assert (record.cases, record.seconds, record.date) == (4, 12.3, date(2026, 1, 1))
    assert record.findings == {"error": 0, "warning": 0, "note": 1}
    assert list_changed(folder) == ["second"]


def test_a_changed_file_ends_the_record(folder: Path) -> None:
    VerifiedPackages.read(folder).record(a_report(folder, "first"), cases=4)

    (folder / "first" / "statement.md").write_text("Something else.\n")

    assert VerifiedPackages.read(folder).find_current("first") is None
    assert list_changed(folder) == ["first", "second"]


def test_new_checks_end_the_record(folder: Path) -> None:
    earlier = a_report(folder, "first", verification_version=VERIFICATION_VERSION - 1)

    VerifiedPackages.read(folder).record(earlier, cases=4)

    assert VerifiedPackages.read(folder).find_current("first") is None


def test_a_refused_package_loses_its_record(folder: Path) -> None:
    verified = VerifiedPackages.read(folder)
    verified.record(a_report(folder, "first"), cases=4)

    verified.record(a_report(folder, "first", passed=False), cases=4)

    assert VerifiedPackages.read(folder).records == {}


def test_a_quick_verification_is_not_recorded(folder: Path) -> None:
    VerifiedPackages.read(folder).record(a_report(folder, "first", is_quick=True), cases=4)

    assert not (folder / FILE).exists()


def test_a_file_that_can_not_be_read_is_named(folder: Path) -> None:
    (folder / FILE).write_text('{"first": {"digest": "0"}}')

    with pytest.raises(Invalid, match="can't be read"):
        VerifiedPackages.read(folder)


def test_a_record_of_samples_counts_for_the_content_that_it_names(folder: Path) -> None:
    package = load_package((folder / "first").rename(folder / "scaled_sum"))
    record = SampleRecord(digest=digest(package.files), previews={}, mistakes={"zeros": "AA=="})
    write_sample_record(folder / "scaled_sum", record)
    found = load_package(folder / "scaled_sum").samples

    (folder / "scaled_sum" / "statement.md").write_text("Something else.\n")

    assert found == record
    assert load_package(folder / "scaled_sum").samples is None
    assert package.samples is None


def test_a_damaged_record_of_samples_is_as_good_as_none(folder: Path) -> None:
    (folder / "first").rename(folder / "scaled_sum")
    (folder / "samples").mkdir()
    (folder / "samples" / "scaled_sum.json").write_text('{"digest": 1')

    assert load_package(folder / "scaled_sum").samples is None


def test_every_shipped_package_has_its_samples_recorded_and_nothing_hidden() -> None:
    for package in load_packages(ROOT / "problems"):
        assert package.samples is not None, f"{package.slug}: run `make verify`, and commit problems/samples"
        samples = {case.name for case in package.manifest.cases if case.visibility == "sample"}
        assert package.samples.previews.keys() == samples


def test_every_shipped_package_has_passed_its_verification_as_it_is() -> None:
    assert list_changed(ROOT / "problems") == [], "run `make verify`, and commit problems/verified.json"
