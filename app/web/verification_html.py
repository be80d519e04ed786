"""The rendering of a verification report: a self-contained page, or a fragment for the author's page."""

from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Literal

from jinja2 import Environment
from markupsafe import Markup

from app.catalog.markdown import render_code_spans
from app.catalog.verification_report import TITLES, Finding, Report, Severity
from app.catalog.verification_section import (
    CalibratedLeaf,
    KillCase,
    KillMatrixSection,
    MeasuredError,
    MutationSection,
    share_text,
    used_text,
)
from app.judging.options import Margin
from app.judging.printable_text import lines_of, printable
from app.web.render import HERE, STATIC, open_environment
from app.web.wording import percent_text, seconds_text

MAX_TEXT = 100_000
_KINDS = {"+": "added", "-": "removed", "@": "place"}
# The most cases with a column of their own.
MOST_COLUMNS = 24
# The right answers, and the wrong ones, that are listed for each tolerance.
MOST_NEAREST = 5
SHEETS = ("base.css", "report.css")
ORDER: dict[Severity, int] = {"error": 0, "warning": 1, "note": 2}


@dataclass(frozen=True, slots=True)
class DiffLine:
    kind: str
    text: str


def is_diff(text: str) -> bool:
    return text.startswith("--- ") and "\n+++ " in text


def diff_lines(text: str) -> list[DiffLine]:
    """Return the lines of a unified diff without the two file names."""
    lines = lines_of(printable(text, MAX_TEXT))
    return [DiffLine(_KINDS.get(line[:1], "same"), line) for line in lines[2:]]


Mark = Literal["only", "failed", "passed", "unknown"]
MEANINGS: dict[Mark, str] = {
    "failed": "caught",
    "only": "caught here only",
    "passed": "not caught",
    "unknown": "not run",
}


@dataclass(frozen=True, slots=True)
class KillTableRow:
    name: str
    marks: tuple[Mark, ...]
    total: int


@dataclass(frozen=True, slots=True)
class KillTable:
    """The kill matrix: a row for each wrong submission, a column for each case.

    `hidden_columns` is the number of cases without a column.
    """

    columns: tuple[KillCase, ...]
    rows: tuple[KillTableRow, ...]
    hidden_columns: int
    meanings = MEANINGS


def kill_table(section: KillMatrixSection) -> KillTable:
    columns = section.cases[:MOST_COLUMNS]
    rows = []
    for row in section.rows:
        marks: list[Mark] = []
        for case in columns:
            if case.name in row.failed:
                marks.append("only" if len(row.failed) == 1 else "failed")
            else:
                marks.append("passed" if case.name in row.passed else "unknown")
        rows.append(KillTableRow(row.name, tuple(marks), len(row.failed)))
    return KillTable(columns, tuple(rows), len(section.cases) - len(columns))


@dataclass(frozen=True, slots=True)
class Family:
    name: str
    killed: int
    survived: int
    spared: int

    @property
    def total(self) -> int:
        return self.killed + self.survived + self.spared


def families(section: MutationSection) -> tuple[Family, ...]:
    """Count killed, surviving and equivalent mutants by operator, the weakest first."""
    counts = Counter((mutant.operator, mutant.outcome) for mutant in section.mutants)
    names = sorted({mutant.operator for mutant in section.mutants})
    found = [
        Family(
            name,
            counts[name, "killed"],
            counts[name, "survived"],
            counts[name, "equivalent"] + counts[name, "rounding"],
        )
        for name in names
    ]
    return tuple(sorted(found, key=lambda family: (-family.survived, -family.total, family.name)))


def nearest(leaf: CalibratedLeaf) -> tuple[MeasuredError, ...]:
    """Return the right and the wrong answers that are nearest to the tolerance, the smallest share first."""
    right = sorted(leaf.noise, key=lambda each: each.value)[-MOST_NEAREST:]
    wrong = sorted(leaf.signal, key=lambda each: each.value)[:MOST_NEAREST]
    return (*right, *wrong)


def margin_text(margin: Margin) -> str:
    return f"rtol {margin.rtol:g}, atol {margin.atol:g}"


def render(report: Report) -> str:
    """Render a self-contained page."""
    styles = Markup("\n".join((STATIC / sheet).read_text() for sheet in SHEETS))
    return _environment().get_template("page.html").render(styles=styles, edit="", **_names(report))


def render_fragment(report: Report, edit: str = "") -> Markup:
    """Render a fragment for a page that has `report.css` and shows the problem and the outcome.

    `edit`: the address of the editor with the files, to which findings link.
    """
    return Markup(_environment().get_template("report.html").render(**_names(report), edit=edit))


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
    """Escape unprintable characters. Texts come from packages and from errors in their code."""
    return printable(value, MAX_TEXT) if type(value) is str else value


@cache
def _environment() -> Environment:
    environment = open_environment(HERE / "templates/verification", _made_printable)
    environment.filters.update(
        share=share_text,
        used=used_text,
        seconds=seconds_text,
        percent=percent_text,
        margin=margin_text,
        diff=diff_lines,
        code_spans=render_code_spans,
    )
    environment.globals.update(is_diff=is_diff, nearest=nearest)
    return environment
