"""The figures that `make bench` stores, and the comparison of two runs."""

from pathlib import Path

import pytest

from benchmarks.results import Figure, Part, compare, read_results, reduce, write_results

FLOOR = "verdict / warm process / sums"


def verdict(series: str, seconds: float) -> Figure:
    return reduce([seconds], what="verdict", series=series, at="sums", versus=FLOOR)


def throughput(students: int, rate: float) -> Figure:
    versus = "throughput / sums / 1"
    return reduce([rate], what="throughput", series="sums", at=students, unit="submissions/s", versus=versus)


def part(*figures: Figure) -> Part:
    return Part(
        date="2026-11-23", machine={"cores": 2}, versions={}, repeat=1, busy_cores=0.0, notes=[], figures=figures
    )


def test_samples_are_reduced_to_median_least_and_most() -> None:
    figure = reduce([3.0, 1.0, 2.123456, 10.0], what="verdict", series="warm process", at="sums")

    assert (figure.count, figure.median, figure.least, figure.most) == (4, 2.562, 1.0, 10.0)
    assert figure.p95 is None


def test_a_machine_that_is_twice_as_slow_changes_nothing() -> None:
    old = {"verdicts": part(verdict("docker", 3.0), verdict("warm process", 1.0))}
    new = {"verdicts": part(verdict("docker", 6.0), verdict("warm process", 2.0))}

    assert compare(old, new, factor=1.1) == []


@pytest.mark.parametrize(("seconds", "is_worse"), [(4.0, True), (2.0, False)])
def test_a_ratio_that_moved_by_more_than_the_factor_is_told(seconds: float, is_worse: bool) -> None:
    old = {"verdicts": part(verdict("docker", 3.0), verdict("warm process", 1.0))}
    new = {"verdicts": part(verdict("docker", seconds), verdict("warm process", 1.0))}

    [change] = compare(old, new, factor=1.3)

    assert (change.was, change.now, change.is_worse) == (3.0, seconds, is_worse)
    assert f"is {seconds:.3g} times {FLOOR}, was 3" in str(change)


def test_a_ratio_that_moved_by_less_than_the_factor_is_not_told() -> None:
    old = {"verdicts": part(verdict("docker", 3.0), verdict("warm process", 1.0))}
    new = {"verdicts": part(verdict("docker", 3.8), verdict("warm process", 1.0))}

    assert compare(old, new, factor=1.3) == []


def test_of_a_rate_less_is_worse() -> None:
    old = {"load": part(throughput(1, 1.0), throughput(8, 2.0))}
    new = {"load": part(throughput(1, 1.0), throughput(8, 1.0))}

    [change] = compare(old, new, factor=1.3)

    assert change.is_worse


def test_a_figure_of_one_run_only_is_told_and_is_not_worse() -> None:
    old = {"verdicts": part(verdict("docker", 3.0), verdict("warm process", 1.0))}
    new = {"verdicts": part(verdict("warm process", 1.0))}

    [change] = compare(old, new, factor=1.3)

    assert not change.is_worse
    assert "measured before, but not now" in str(change)


def test_results_are_read_as_they_were_written(tmp_path: Path) -> None:
    results = {"verdicts": part(verdict("warm process", 1.0), verdict("docker", 3.0)), "load": part()}

    write_results(tmp_path / "results.json", results)

    assert read_results(tmp_path / "results.json") == results
    lines = (tmp_path / "results.json").read_text().splitlines()
    assert sum('"median"' in line for line in lines) == 2  # so that a difference names the figure
