"""A submission as the terminal shows it, at the widths that terminals have."""

from typing import Any
from uuid import UUID

from app.cli.result_text import submission_text
from app.submissions.view import SubmissionView

REPORT = {"category": "must use scan of length n_microbatches for x_full and y_full"}
USUAL = {
    "id": UUID(int=7),
    "problem": "some",
    "title": "Some",
    "revision": None,
    "digest": "0" * 64,
    "mode": "submit",
    "parameters": (),
    "created_at": "2026-01-01T00:00:00Z",
    "state": "done",
    "score": 0,
}


def make_case(name: str, **changes: Any) -> dict[str, Any]:
    case = {"name": name, "visibility": "hidden", "verdict": "requirement_not_met", "report": REPORT}
    return case | {"wall_seconds": 1.5, "memory_bytes": 2**24} | changes


def make_view(*cases: dict[str, Any], **changes: Any) -> SubmissionView:
    names = [case["name"] for case in cases]
    verdict = cases[0]["verdict"] if cases else "accepted"
    return SubmissionView.model_validate(USUAL | {"cases": cases, "case_names": names, "verdict": verdict} | changes)


def printed(*cases: dict[str, Any], width: int = 100) -> list[str]:
    return submission_text(make_view(*cases), width=width).splitlines()


def test_a_verdict_is_readable_beside_a_long_name() -> None:
    lines = printed(make_case("single_example_of_a_row_that_is_very_long"), width=80)

    assert any("must use scan" in line for line in lines)
    assert all(len(line) <= 80 for line in lines[:-3])


def test_a_case_without_figures_has_dashes_and_a_series_its_largest() -> None:
    sealed = make_case("sealed", wall_seconds=None, memory_bytes=None)
    series = [make_case(f"random_{n}", wall_seconds=n / 2 or None) for n in range(20)]

    lines = printed(sealed, *series, width=120)

    assert [word for word in lines[1].split() if word == "–"] == ["–", "–"]
    assert any("random (20 cases)" in line and "9.5 s" in line and "16 MiB" in line for line in lines)


def test_a_sample_that_is_right_tells_how_near_it_was() -> None:
    leaf = {"path": "", "category": None, "size": 1, "tolerance_used": 0.37}
    report = {"category": None, "message": "your output is correct", "leaves": [leaf]}

    lines = printed(make_case("small", visibility="sample", verdict="accepted", report=report))

    assert "uses 37 % of the tolerance" in lines[1]


def test_accepted_samples_never_say_that_all_passed() -> None:
    case = make_case("small", visibility="sample", verdict="accepted", report={"category": None})

    text = submission_text(make_view(case, mode="sample"))

    assert "Submit to run the hidden cases too" in text


def test_a_long_print_is_cut_and_says_so() -> None:
    report = {"category": None, "text": "x" * 1_000_000 + "\n" * 500 + "the end"}

    text = submission_text(make_view(make_case("small", visibility="sample", verdict="accepted", report=report)))

    assert len(text) < 2_000
    assert "more characters" in text
    assert "… 461 lines left out …" in text
    assert "the end" in text
