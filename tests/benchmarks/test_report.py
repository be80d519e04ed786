"""The section of docs/performance.md that `make bench` writes."""

import pytest

from app.settings import ROOT
from benchmarks.report import SHOWN, SUBJECTS, write_section
from benchmarks.results import read_results


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
