"""The launchers, and a table at the end of the run: mechanisms contained, and whether the canaries took their time."""

from collections import defaultdict
from collections.abc import Iterable
from statistics import median
from typing import Any

from tests.sandbox.conftest import launcher as launcher

RECORD = "hostile"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.getreports(kind)]
    records = [
        value | {"passed": report.passed}
        for report in reports
        for name, value in report.user_properties
        if name == RECORD
    ]
    if records:
        terminalreporter.section("hostile submissions contained, by mechanism and launcher")
        for line in table(records):
            terminalreporter.write_line(line)


def table(records: list[dict[str, Any]]) -> list[str]:
    launchers = list(dict.fromkeys(record["launcher"] for record in records))
    groups = sorted({record["group"] for record in records})
    cells = [["", *launchers]]
    for group in [*groups, "all"]:
        chosen = [record for record in records if group in (record["group"], "all")]
        cells.append([group, *(_contained(chosen, launcher) for launcher in launchers)])
    cells.append(["slowest canary", *(_slowest(records, launcher) for launcher in launchers)])
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]


def _contained(records: Iterable[dict[str, Any]], launcher: str) -> str:
    passed = [record["passed"] for record in records if record["launcher"] == launcher]
    return f"{sum(passed)}/{len(passed)}"


def _slowest(records: Iterable[dict[str, Any]], launcher: str) -> str:
    """Report times as multiples of the problem's median. They are not asserted, since other work slows them down."""
    times: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for record in records:
        if record["launcher"] == launcher and "seconds" in record:
            times[record["problem"]].append((record["seconds"], record["name"]))
    ratios = [
        (seconds / median(each for each, _ in known), name) for known in times.values() for seconds, name in known
    ]
    return "{:.1f} × median, after {}".format(*max(ratios)) if ratios else "-"
