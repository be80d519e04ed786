"""Findings about limits, from given figures."""

from typing import Any

import pytest

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


def test_limits_with_room_are_right() -> None:
    assert list(findings_of(a_section())) == []


@pytest.mark.parametrize(
    ("figures", "severity", "words"),
    [
        ({"slowest_seconds": 8.0, "suggested_wall_seconds": 30.0}, "error", "set wall_seconds: 30"),
        ({"slowest_seconds": 4.0, "suggested_wall_seconds": 15.0}, "warning", "set wall_seconds: 15"),
        ({"wall_seconds": 60.0, "slowest_seconds": 0.1}, "warning", "is loose"),
        (
            {"memory_mib": 256, "largest_memory_mib": 200, "suggested_memory_mib": 1024},
            "warning",
            "set memory_mib: 1024",
        ),
    ],
    ids=["hardly enough", "less than three times", "far too much", "hardly enough memory"],
)
def test_limits_without_room_or_far_too_large_are_findings(figures: dict[str, Any], severity: str, words: str) -> None:
    (finding,) = findings_of(a_section(**figures))

    assert finding.severity == severity
    assert words in finding.message + finding.remedy
