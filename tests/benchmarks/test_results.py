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


def verdicts(*seconds: float, warm: float = 1.0) -> dict[str, Part]:
    return {"verdicts": part(*(verdict("docker", each) for each in seconds), verdict("warm process", warm))}


def load(rate: float) -> dict[str, Part]:
    return {"load": part(throughput(1, 1.0), throughput(8, rate))}


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        pytest.param(verdicts(3.0), verdicts(6.0, warm=2.0), [], id="a machine that is twice as slow"),
        pytest.param(verdicts(3.0), verdicts(3.8), [], id="by less than the factor"),
        pytest.param(verdicts(3.0), verdicts(4.0), [(True, f"is 4 times {FLOOR}, was 3")], id="slower"),
        pytest.param(verdicts(3.0), verdicts(2.0), [(False, f"is 2 times {FLOOR}, was 3")], id="quicker"),
        pytest.param(load(2.0), load(1.0), [(True, "was 2")], id="a lower rate"),
        pytest.param(verdicts(3.0), verdicts(), [(False, "measured before, but not now")], id="in one run only"),
    ],
)
def test_a_ratio_that_moved_by_more_than_the_factor_is_told(
    old: dict[str, Part], new: dict[str, Part], told: list[tuple[bool, str]]
) -> None:
    changes = compare(old, new, factor=1.3)

    assert [change.is_worse for change in changes] == [is_worse for is_worse, _ in told]
    assert all(words in str(change) for change, (_, words) in zip(changes, told, strict=True))


def test_results_are_read_as_they_were_written(tmp_path: Path) -> None:
    results = {"verdicts": part(verdict("warm process", 1.0), verdict("docker", 3.0)), "load": part()}

    write_results(tmp_path / "results.json", results)

    assert read_results(tmp_path / "results.json") == results
    lines = (tmp_path / "results.json").read_text().splitlines()
    assert sum('"median"' in line for line in lines) == 2  # so that a difference names the figure
