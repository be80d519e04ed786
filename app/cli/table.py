"""The cases of a submission as a terminal shows them: a row for each, with the words of the page."""

from rich.table import Table
from rich.text import Text

from app.cli.plain import one_line
from app.submissions.view import CaseView
from app.web.picture.figure import most_used
from app.web.quantity import memory_text, seconds_text
from app.web.result import Result, Row
from app.web.verdict_words import words_for

STYLE_OF = {"good": "green", "bad": "red", "limit": "yellow", "fault": "magenta"}
WAITING = "waiting"


def case_table(result: Result) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("case", overflow="fold")  # so that a long name leaves room for what happened
    for heading in ("", "result", "time", "memory"):
        table.add_column(heading, no_wrap=True, justify="right" if heading in ("time", "memory") else "left")
    table.add_column("what happened", overflow="fold")
    for row in result.rows:
        table.add_row(*_cells(row))
    return table


def style_of(tone: str) -> str:
    return STYLE_OF.get(tone, "bold")


def _cells(row: Row) -> tuple[Text, ...]:
    name = Text(one_line(row.name) + (f" ({row.count} cases)" if row.count > 1 else ""))
    case = row.case
    if case is None:
        return name, Text(""), Text(WAITING, style="dim")
    words = words_for(case.verdict)
    return (
        name,
        Text(case.visibility, style="dim"),
        Text(words.title, style=style_of(words.tone)),
        Text(seconds_text(case.wall_seconds)),
        Text(memory_text(case.memory_bytes)),
        Text(_note(case, words.title)),
    )


def _note(case: CaseView, title: str) -> str:
    """What the page says below the verdict; of a sample that is right, how near to the edge it was."""
    if case.verdict == "accepted":
        return most_used(case.report)
    category = str(case.report.get("category") or "")
    return "" if category.replace("_", " ").lower() == title.lower() else one_line(category)
