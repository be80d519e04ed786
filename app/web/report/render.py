"""A report as HTML: a page that needs no other file and no script, or the fragment that stands on the authors' page."""

from functools import cache
from pathlib import Path

from jinja2 import Environment
from markupsafe import Markup

from app.catalog.verification.report import Finding, Report, Severity
from app.catalog.verification.strength import used_text
from app.catalog.verification.title import TITLES
from app.judging.text import printable
from app.web.environment import open_environment
from app.web.quantity import percent_text, seconds_text
from app.web.report.diff import diff_lines, is_diff
from app.web.report.kill_table import kill_table
from app.web.report.mutant_table import families
from app.web.report.tolerance_chart import SMALL, WIDE, draw_tolerance, margin_text

HERE = Path(__file__).parent
STATIC = HERE.parent / "static"
SHEETS = ("base.css", "report.css")
ORDER: dict[Severity, int] = {"error": 0, "warning": 1, "note": 2}
MAX_TEXT = 100_000


def render(report: Report) -> str:
    """A page of its own, for a file."""
    styles = Markup("\n".join((STATIC / sheet).read_text() for sheet in SHEETS))
    return _environment().get_template("page.html").render(styles=styles, **_names(report))


def render_fragment(report: Report) -> Markup:
    """To stand in a page that has `report.css` and says itself which problem it is and whether it passed."""
    return Markup(_environment().get_template("report.html").render(**_names(report)))


def _names(report: Report) -> dict[str, object]:
    return {
        "report": report,
        "titles": TITLES,
        "findings": _by_weight(report.findings),
        "kill_table": kill_table(report.kill_matrix) if report.kill_matrix else None,
        "families": families(report.mutation) if report.mutation else (),
        "longest": max((check.seconds for check in report.checks), default=0.0) or 1.0,
    }


def _by_weight(findings: tuple[Finding, ...]) -> list[Finding]:
    return sorted(findings, key=lambda finding: ORDER[finding.severity])


def _made_printable(value: object) -> object:
    """Texts are those of a package, and of errors in its code."""
    return printable(value, MAX_TEXT) if type(value) is str else value


@cache
def _environment() -> Environment:
    environment = open_environment(HERE / "templates", _made_printable)
    environment.filters.update(
        used=used_text,
        seconds=seconds_text,
        percent=percent_text,
        margin=margin_text,
        diff=diff_lines,
    )
    environment.globals.update(
        is_diff=is_diff,
        charts=lambda leaf: (("wide", draw_tolerance(leaf, WIDE)), ("small", draw_tolerance(leaf, SMALL))),
    )
    return environment
