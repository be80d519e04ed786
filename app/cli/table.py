"""A judged submission as a terminal shows it. Takes the object of `GET /submissions/{id}`."""

from typing import Any

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from app.cli.console import output

STYLES = {"accepted": "green", "judge_error": "magenta"}
MEBIBYTE = 2**20


def print_submission(submission: dict[str, Any]) -> None:
    output.print(_case_table(submission["cases"]))
    for case in submission["cases"]:
        if case["verdict"] != "accepted" and case["visibility"] == "sample":
            _print_details(case)
    verdict = submission["verdict"]
    score = "" if submission["score"] is None else f", score {submission['score']} of 100"
    output.print(f"[bold {_style(verdict)}]{verdict}[/]{score}")


def exit_code(submission: dict[str, Any]) -> int:
    """0 when accepted, 1 when not, 3 when the judge failed."""
    return {"accepted": 0, "judge_error": 3}.get(submission["verdict"], 1)


def _case_table(cases: list[dict[str, Any]]) -> Table:
    table = Table("case", "", "verdict", "time", "memory", "what happened", box=None, header_style="bold")
    for case in cases:
        verdict = Text(case["verdict"], style=_style(case["verdict"]))
        report = case["report"]
        # An accepted case's message says no more than its verdict.
        told = "" if case["verdict"] == "accepted" else report.get("message") or report.get("category") or ""
        table.add_row(
            escape(case["name"]),
            case["visibility"],
            verdict,
            f"{case['wall_seconds']:.2f} s",
            f"{case['memory_bytes'] / MEBIBYTE:.0f} MiB",
            Text(_first_line(told)),
        )
    return table


def _print_details(case: dict[str, Any]) -> None:
    report = case["report"]
    traceback = (report.get("exception") or {}).get("traceback", "")
    for title, text in (("traceback", traceback), ("printed", report.get("text", ""))):
        if text:
            output.print(f"\n[bold]{escape(case['name'])}[/], {title}:")
            output.print(Text(text.rstrip()))
    output.print()


def _first_line(text: str) -> str:
    return text.splitlines()[0] if text else ""


def _style(verdict: str) -> str:
    return STYLES.get(verdict, "red")
