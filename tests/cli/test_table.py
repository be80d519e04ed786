"""The table of cases, at the widths that terminals have."""

from typing import Any

import pytest
from rich.console import Console

from app.cli import table

REPORT = {"category": "must use scan of length n_microbatches for x_full and y_full"}


def make_case(name: str, **changes: Any) -> dict[str, Any]:
    case = {"name": name, "visibility": "hidden", "verdict": "requirement_not_met", "report": REPORT}
    return case | {"wall_seconds": 1.5, "memory_bytes": 2**24} | changes


def printed(cases: list[dict[str, Any]], width: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    console = Console(width=width)
    with console.capture() as capture:
        monkeypatch.setattr(table, "output", console)
        table.print_submission({"cases": cases, "verdict": "requirement_not_met", "score": 0})
    return capture.get().splitlines()


def test_what_happened_is_read_in_words_beside_long_names(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = printed([make_case("single_example_of_a_row_that_is_very_long")], 80, monkeypatch)

    assert any("must use scan" in line for line in lines)
    assert all(len(line) <= 80 for line in lines)


def test_a_case_without_figures_has_dashes_and_a_series_its_largest(monkeypatch: pytest.MonkeyPatch) -> None:
    sealed = make_case("sealed", wall_seconds=None, memory_bytes=None)
    series = [make_case(f"random_{n}", wall_seconds=n / 2 or None) for n in range(20)]

    lines = printed([sealed, *series], 120, monkeypatch)

    assert [word for word in lines[1].split() if word == "–"] == ["–", "–"]
    assert any("random (20 cases)" in line and "9.50 s" in line and "16 MiB" in line for line in lines)
