"""The kill matrix: a row for each wrong submission, a column for each case."""

from dataclasses import dataclass
from typing import Literal

from app.catalog.verification.section import KillCase, KillMatrixSection

Mark = Literal["only", "failed", "passed", "unknown"]
MEANINGS: dict[Mark, str] = {
    "failed": "noticed",
    "only": "noticed here only",
    "passed": "not noticed",
    "unknown": "not run",
}
# Draws of one case are told by a sum, beyond so many columns.
MOST_COLUMNS = 24


@dataclass(frozen=True, slots=True)
class KillTableRow:
    name: str
    marks: tuple[Mark, ...]
    total: int


@dataclass(frozen=True, slots=True)
class KillTable:
    """`hidden_columns`: how many cases are left out, for want of room."""

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
