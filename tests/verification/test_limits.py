"""What is said of limits and of the cost of compiling. Pure: the figures are given."""

from typing import Any

from app.catalog.verification.report import Finding
from app.catalog.verification.section import CaseCost, LimitsSection
from app.worker.verification.limits import findings_of

CHEAP = CaseCost(case="a", group=0, first_seconds=0.02, again_seconds=0.01)


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
        "cases": (CHEAP,),
        "saved_seconds": 0.0,
    }
    return LimitsSection(**(figures | given))


def only(section: LimitsSection) -> Finding:
    (finding,) = findings_of(section, len(section.cases))
    return finding


def test_limits_with_room_are_right() -> None:
    assert list(findings_of(a_section(), 1)) == []


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


def test_equal_shapes_are_proposed_where_compiling_takes_most() -> None:
    costs = [CaseCost(case=name, group=n, first_seconds=1.0, again_seconds=0.01) for n, name in enumerate("abc")]

    finding = only(a_section(cases=tuple(costs), saved_seconds=1.98))

    assert finding.severity == "note"
    assert "3 sets of shapes" in finding.message
    assert "2.0 s less" in finding.message


def test_a_case_that_could_not_run_twice_is_pointed_out() -> None:
    (finding,) = findings_of(a_section(), 2)

    assert "1 have no second time" in finding.message
