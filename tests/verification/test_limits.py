"""Findings about limits and the cost of compiling, from given figures."""

from typing import Any

from app.catalog.verification_report import Finding
from app.catalog.verification_section import CaseCost, LimitsSection, ShapeCost
from app.verification.limit_check import findings_of

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
    }
    return LimitsSection(**(figures | given))


def only(section: LimitsSection) -> Finding:
    (finding,) = findings_of(section, len(section.cases), is_compiled=True)
    return finding


def test_limits_with_room_are_right() -> None:
    assert list(findings_of(a_section(), 1, is_compiled=True)) == []


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


def a_shape(case: str, cost: float) -> ShapeCost:
    return ShapeCost(label=f"x float32 ({case},)", cases=(case,), first_seconds=cost + 0.01, further_seconds=0.01)


def test_shapes_that_cost_more_than_a_second_together_are_pointed_out_with_the_dearest_first() -> None:
    finding = only(a_section(shapes=(a_shape("a", 0.2), a_shape("b", 0.5), a_shape("c", 0.4))))

    assert (finding.severity, finding.file) == ("warning", "problem.yaml")
    assert "compiling for the 3 shapes of the cases costs submissions/accepted/slow.py 1.1 s of CPU" in finding.message
    assert "0.5 s for that of b, 0.4 s for that of c" in finding.message
    assert finding.remedy.startswith("let cases share shapes")


def test_one_shape_that_costs_more_than_a_second_has_another_way_out() -> None:
    finding = only(a_section(shapes=(a_shape("a", 1.2),)))

    assert finding.severity == "warning"
    assert "compiling for the only shape of the cases costs" in finding.message
    assert "lax.scan" in finding.remedy


def test_shapes_that_cost_a_second_at_most_are_right() -> None:
    assert list(findings_of(a_section(shapes=(a_shape("a", 0.5), a_shape("b", 0.5))), 1, is_compiled=True)) == []


def test_shapes_cost_nothing_where_nothing_is_compiled_for_them() -> None:
    shapes = (a_shape("a", 2.0), a_shape("b", 2.0))

    assert list(findings_of(a_section(shapes=shapes), 1, is_compiled=False)) == []


def test_a_case_that_could_not_run_twice_is_pointed_out() -> None:
    (finding,) = findings_of(a_section(), 2, is_compiled=True)

    assert "1 have no second time" in finding.message
