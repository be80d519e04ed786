"""The section of docs/performance.md that `make bench` writes."""

import pytest

from app.settings import ROOT
from benchmarks.report import BEGIN, END, SHOWN, SUBJECTS, write_section
from benchmarks.results import Part, read_results, reduce

PAGE = f"# Before\n\n{BEGIN}\nold\n{END}\n\n# After\n"
MACHINE: dict[str, str | int] = {"cores": 2, "processor": "a processor", "memory_gib": 24, "kernel": "Linux 6.18"}


def part(*samples: tuple[str, str | int, list[float]], what: str = "verdict") -> Part:
    figures = [reduce(seconds, what=what, series=series, at=at) for series, at, seconds in samples]
    return Part(
        date="2026-11-23",
        machine=MACHINE,
        versions={"jax": "0.10.2"},
        repeat=3,
        busy_cores=0.0,
        notes=["docker: not measured: no engine answers"],
        figures=figures,
    )


def test_only_the_text_between_the_markers_is_replaced() -> None:
    page = write_section(PAGE, {"verdicts": part(("docker", "sums", [1.0]))})

    assert page.startswith("# Before\n")
    assert page.endswith(f"{END}\n\n# After\n")
    assert "old" not in page
    assert write_section(page, {"verdicts": part(("docker", "sums", [1.0]))}) == page


def test_a_table_has_a_row_for_each_problem_and_a_column_for_each_way() -> None:
    given = part(("docker", "sums", [0.5, 2.0, 1.0]), ("fresh process", "sums", [3.0]), ("docker", "means", [1234.5]))

    page = write_section(PAGE, {"verdicts": given})

    assert "| problem | docker, s | fresh process, s |" in page
    assert "| `sums` | 1 (0.5–2) | 3 |" in page
    assert "| `means` | 1,234 | – |" in page


def test_the_machine_the_date_and_what_was_not_measured_are_told() -> None:
    page = write_section(PAGE, {"verdicts": part(("docker", "sums", [1.0]))})

    assert "2026-11-23, 2 cores of a processor, 24 GiB, Linux 6.18. jax 0.10.2." in page
    assert "- docker: not measured: no engine answers" in page


def test_a_page_without_markers_is_refused() -> None:
    with pytest.raises(ValueError, match="needs the lines"):
        write_section("# Performance\n", {})


def test_the_page_of_the_repository_shows_the_committed_results() -> None:
    page = (ROOT / "docs" / "performance.md").read_text()

    assert write_section(page, read_results(ROOT / "benchmarks" / "results.json")) == page


def test_every_plot_of_the_repository_is_of_a_subject() -> None:
    drawn = {file.stem for file in (ROOT / "docs" / "plots").glob("*.svg")}

    assert drawn == set(SHOWN)
    assert drawn <= {subject.plot for subject in SUBJECTS}
