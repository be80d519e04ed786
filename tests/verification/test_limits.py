"""Findings about limits, from given figures."""

from typing import Any

from app.catalog.verification_report import Finding
from app.catalog.verification_section import LimitsSection
from app.verification.limit_check import findings_of


def a_section(**given: Any) -> LimitsSection:
    figures = {
        "wall_seconds": 10.0,
        "slowest": "submissions/accepted/slow.py",
        "slowest_case": "a",
        "slowest_seconds": 1.0,
        "suggested_wall_seconds": 3.0,
        "memory_mib": 1024,
        "largest_memory_mib": 100,
        "suggested_memory_mib": 512,
    }
    return LimitsSection(**(figures | given))


def only(section: LimitsSection) -> Finding:
    (finding,) = findings_of(section)
    return finding


def test_limits_with_room_are_right() -> None:
    assert list(findings_of(a_section())) == []


def test_a_limit_that_right_solutions_hardly_keep_is_an_error() -> None:
    finding = only(a_section(slowest_seconds=8.0, suggested_wall_seconds=30.0))

    assert (finding.severity, finding.remedy) == ("error", "set wall_seconds: 30")


def test_a_limit_with_less_than_three_times_is_pointed_out() -> None:
    assert only(a_section(slowest_seconds=4.0, suggested_wall_seconds=15.0)).severity == "warning"


def test_a_limit_far_beyond_what_is_needed_is_pointed_out() -> None:
    finding = only(a_section(wall_seconds=60.0, slowest_seconds=0.1, suggested_wall_seconds=2.0))

    assert "is loose" in finding.message


def test_memory_that_right_solutions_hardly_keep_is_pointed_out() -> None:
    finding = only(a_section(memory_mib=256, largest_memory_mib=200, suggested_memory_mib=1024))

    assert (finding.severity, finding.remedy) == ("warning", "set memory_mib: 1024")
