"""A judged submission as a terminal shows it. Takes the object of `GET /submissions/{id}`."""

from collections.abc import Hashable
from typing import Any

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from app.cli.console import output
from app.submissions.series import fold, series_of

STYLES = {"accepted": "green", "judge_error": "magenta", "cancelled": "yellow"}
MEBIBYTE = 2**20
NONE = "–"


def print_submission(submission: dict[str, Any]) -> None:
    output.print(_case_table(submission["cases"]))
    told: set[str] = set()
    for case in submission["cases"]:
        if case["verdict"] != "accepted" and case["visibility"] == "sample":
            _print_details(case, told)
    verdict = submission["verdict"]
    score = "" if submission["score"] is None else f", score {submission['score']} of 100"
    if submission.get("hint"):
        output.print(f"\n[bold]A known mistake[/]: {escape(submission['hint'])}", soft_wrap=True)
    output.print(f"\n[bold {_style(verdict)}]{verdict}[/]{score}")


def exit_code(submission: dict[str, Any]) -> int:
    """0 when accepted, 1 when not, 3 when the judge failed."""
    return {"accepted": 0, "judge_error": 3}.get(submission["verdict"], 1)


def _case_table(cases: list[dict[str, Any]]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("case", overflow="fold")  # so that a long name leaves room for what happened
    for heading in ("", "verdict", "time", "memory"):
        table.add_column(heading, no_wrap=True, justify="right" if heading in ("time", "memory") else "left")
    table.add_column("what happened", overflow="fold")
    for group in fold(cases, lambda case: case["name"], _outcome):
        case = group[0]
        table.add_row(
            escape(case["name"] if len(group) == 1 else f"{series_of(case['name'])} ({len(group)} cases)"),
            case["visibility"],
            Text(case["verdict"], style=_style(case["verdict"])),
            _most([case["wall_seconds"] for case in group], 1, ".2f", "s"),
            _most([case["memory_bytes"] for case in group], MEBIBYTE, ".0f", "MiB"),
            _category(case),
        )
    return table


def _most(figures: list[float | None], unit: int, form: str, name: str) -> str:
    """Sealed cases have none."""
    known = [figure for figure in figures if figure is not None]
    return f"{max(known) / unit:{form}} {name}" if known else NONE


def _outcome(case: dict[str, Any]) -> Hashable:
    """What samples show is told of each."""
    return case["name"] if case["visibility"] == "sample" else (case["verdict"], case["report"].get("category"))


def _category(case: dict[str, Any]) -> str:
    """Nothing where it only says the verdict again."""
    category = case["report"].get("category") or ""
    return "" if category.replace(" ", "_") == case["verdict"] else category


def _print_details(case: dict[str, Any], told: set[str]) -> None:
    """What failed in the same way for every case is told once."""
    report = case["report"]
    traceback = (report.get("exception") or {}).get("traceback", "")
    if report["message"] + traceback in told:
        return
    told.add(report["message"] + traceback)
    output.print(f"\n[bold]{escape(case['name'])}[/]: {escape(report['message'])}", soft_wrap=True)
    for title, text in (("", traceback), ("printed:", report.get("text", ""))):
        if text:
            output.print(Text(f"{title}\n{text.rstrip()}".strip("\n")), soft_wrap=True)


def _style(verdict: str) -> str:
    return STYLES.get(verdict, "red")
