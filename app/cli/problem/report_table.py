"""A verification report as text for a terminal: a line for each check, then the findings with their remedies."""

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from app.catalog.verification_report import CheckLine, Finding, Mark, Report, Severity
from app.cli.console import output
from app.judging.printable_text import lines_of, printable

MARKS: dict[Mark, tuple[str, str]] = {
    "passed": ("✓", "green"),
    "warned": ("!", "yellow"),
    "failed": ("✗", "red"),
    "skipped": ("–", "dim"),
}
STYLES: dict[Severity, str] = {"error": "red", "warning": "yellow", "note": "dim"}
ORDER: tuple[Severity, ...] = ("error", "warning", "note")
# The number of findings per check. The JSON and HTML reports have all of them.
MAX_SHOWN: dict[Severity, int] = {"error": 20, "warning": 4, "note": 4}
MAX_DETAIL_LINES = 12
MAX_CHARACTERS = 1000


def print_report(report: Report) -> None:
    output.print(f"\n[bold]{escape(report.problem)}[/]  {escape(report.title)}", highlight=False)
    output.print(_check_table(report.shown_checks()))
    for severity in ORDER:
        for line in report.checks:
            found = [finding for finding in report.findings_of(line.check) if finding.severity == severity]
            for finding in found[: MAX_SHOWN[severity]]:
                _print_finding(finding)
            _print_left_out(len(found) - MAX_SHOWN[severity], severity, line)
    output.print(_conclusion(report), highlight=False)


def _check_table(lines: tuple[CheckLine, ...]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_column(no_wrap=True, justify="right")
    for line in lines:
        mark, style = MARKS[line.mark]
        seconds = "" if line.mark == "skipped" else f"{line.seconds:.1f} s"
        row = (Text(mark, style), line.title, escape(line.summary), Text(seconds, "dim"))
        table.add_row(*row, style="dim" if line.mark == "skipped" else None)
    return table


def _print_finding(finding: Finding) -> None:
    style = STYLES[finding.severity]
    location = f"{finding.file}{f':{finding.line}' if finding.line else ''}: " if finding.file else ""
    head = Text.assemble("\n" if finding.severity != "note" else "", (finding.severity, f"bold {style}"), "  ")
    head.append(printable(location, MAX_CHARACTERS), "bold")
    head.append(printable(finding.message, MAX_CHARACTERS))
    output.print(head, soft_wrap=True)
    if finding.details and finding.severity != "note":
        lines = lines_of(finding.details.rstrip())
        more = [f"… and {len(lines) - MAX_DETAIL_LINES} more lines"] if len(lines) > MAX_DETAIL_LINES else []
        for line in (*lines[:MAX_DETAIL_LINES], *more):
            output.print(Text(f"       {printable(line, MAX_CHARACTERS)}", "dim"), soft_wrap=True)
    if finding.remedy and finding.severity != "note":
        output.print(Text(f"       → {printable(finding.remedy, MAX_CHARACTERS)}"), soft_wrap=True)


def _print_left_out(count: int, severity: Severity, line: CheckLine) -> None:
    if count > 0:
        words = f"{severity}{'s' if count > 1 else ''}"
        output.print(f"[dim]{severity}  … and {count} more {words} about {line.title}: --json and --html show all[/]")


def _conclusion(report: Report) -> str:
    counts = {severity: sum(each.severity == severity for each in report.findings) for severity in ORDER}
    named = [f"{count} {name}{'s' if count != 1 else ''}" for name, count in counts.items() if count]
    word, style = ("passed", "green") if report.passed else ("refused", "red")
    quick = ", quick" if report.is_quick else ""
    found = f" with {', '.join(named)}" if named else ""
    return f"\n[bold {style}]{escape(report.problem)} {word}[/]{found} ({report.seconds:.0f} s{quick})"
