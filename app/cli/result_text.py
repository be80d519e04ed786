"""A submission as text for a terminal: a table of the cases, then what is wrong, and last the verdict.

The words are those of the submission's page.
"""

from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from textwrap import indent
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from app.catalog.custom_inputs import OWN_INPUTS
from app.cli.console import excerpt, message, one_line, output, tail
from app.judging.efficiency import TimeComparison
from app.submissions.view import CaseView, SubmissionView
from app.web.picture.figure import list_shares, most_used
from app.web.picture.leaf_values import literal, wrong_leaves
from app.web.result import Result, Row, describe_result, message_of, title_of
from app.web.wording import memory_text, seconds_text, short_seconds_text, words_for

NAMES = {"answer": "your output", "expected": "expected"}
STYLE_OF = {"good": "green", "bad": "red", "limit": "yellow", "fault": "magenta"}
WAITING = "waiting"
EXIT_CODES = {"accepted": 0, "judge_error": 3}
INDENT = "  "
CUSTOM_INPUT = "Custom input"
KNOWN_MISTAKE = "This looks like a known mistake: "


def answer_lines(report: Mapping[str, Any]) -> list[str]:
    """Return the lines that show the student's output and the expected output, one leaf of the value per line."""
    return [line for key, name in NAMES.items() if report.get(key) for line in _lines(name, report[key])]


def _lines(name: str, preview: Mapping[str, Any]) -> list[str]:
    if not preview["leaves"]:
        return [f"{name}: {one_line(preview['structure'])}"]
    return [f"{name}{_path(leaf)}: {_value(leaf)}" for leaf in preview["leaves"]]


def _path(leaf: Mapping[str, Any]) -> str:
    return f" {one_line(leaf['path'])}" if leaf["path"] else ""


def _value(leaf: Mapping[str, Any]) -> str:
    if "values" in leaf:
        return excerpt(literal(leaf["values"], leaf["dtype"], indent=1))
    first = ", ".join(map(str, leaf.get("first", [])))
    return excerpt(f"[{first}, …] {leaf['dtype']} {tuple(leaf['shape'])}")


def case_table(result: Result) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("case", overflow="fold")  # a long name leaves room for the last column
    for heading in ("", "result", "time", "memory"):
        table.add_column(heading, no_wrap=True, justify="right" if heading in ("time", "memory") else "left")
    table.add_column("what happened", overflow="fold")
    for row in result.rows:
        table.add_row(*_cells(row))
    return table


def style_of(tone: str) -> str:
    return STYLE_OF.get(tone, "bold")


def _cells(row: Row) -> tuple[Text, ...]:
    name = Text(_case_name(row.name) + (f" ({row.count} cases)" if row.count > 1 else ""))
    case = row.case
    if case is None:
        return name, Text(""), Text(WAITING, style="dim")
    words = words_for(case.verdict)
    return (
        name,
        Text(case.visibility, style="dim"),
        Text(title_of(case), style=style_of(words.tone)),
        Text(seconds_text(case.wall_seconds)),
        Text(memory_text(case.memory_bytes)),
        Text(_note(case, title_of(case))),
    )


def _case_name(name: str) -> str:
    return CUSTOM_INPUT if name == OWN_INPUTS else one_line(name)


def _note(case: CaseView, title: str) -> str:
    """Return the page's text below a case's verdict, or for an accepted case how much of the tolerance it used."""
    if case.verdict == "accepted":
        return most_used(case.report)
    category = str(case.report.get("category") or "")
    return "" if category.replace("_", " ").lower() == title.lower() else one_line(category)


def print_submission(view: SubmissionView, page: str = "") -> None:
    """Print a submission. `page` is the address of its page."""
    for part in _parts(view, page):
        # Text stays on one line, so that you can copy it.
        output.print(part, soft_wrap=isinstance(part, Text))


def submission_text(view: SubmissionView, page: str = "", width: int = 100) -> str:
    console = Console(file=StringIO(), width=width, force_terminal=False, force_jupyter=False, color_system=None)
    with console.capture() as capture:
        for part in _parts(view, page):
            console.print(part, soft_wrap=isinstance(part, Text))
    return "\n".join(line.rstrip() for line in capture.get().rstrip().splitlines())


def exit_code(view: SubmissionView) -> int:
    """Return 0 if accepted or hidden, 3 if the judge failed, and otherwise 1."""
    return 0 if view.withheld else EXIT_CODES.get(view.verdict or "", 1)


def waiting(view: SubmissionView) -> RenderableType:
    """Show a submission that is being judged: a row for each finished case, and the next step."""
    result = describe_result(view)
    status = Spinner("dots", Text(message(f"{result.title} {result.sentence}".strip())))
    return Group(case_table(result), "", status) if view.cases else status


def _parts(view: SubmissionView, page: str) -> Iterator[RenderableType]:
    result = describe_result(view)
    if result.rows:
        yield case_table(result)
    printed: set[str] = set()
    for case in view.cases:
        if case.visibility == "sample":
            yield from _details(case, printed)
            if view.inputs is not None:
                yield from _indented(answer_lines(case.report))
    if result.parts:
        yield Text(
            "\n" + "\n".join(f"{one_line(part.title)}: {part.earned} of {part.points} points" for part in result.parts)
        )
    if result.times:
        yield Text("\n" + "\n".join(_time_lines(result.times)))
    if result.hint:
        yield Text.assemble("\n", (KNOWN_MISTAKE, "bold"), message(result.hint))
    yield Text("\n").append_text(_verdict(view, result))
    if page:
        yield Text(one_line(page), style="dim")


def _time_lines(times: TimeComparison) -> Iterator[str]:
    """Say how long it took beside the reference, a line for each case and one for the limits."""
    for each in times.times:
        for row in each.rows:
            reference, name = short_seconds_text(row.reference_seconds), row.name and f", {row.name}"
            yield f"n = {each.size:,}{name}: {short_seconds_text(row.seconds)} (reference: {reference})"
    if times.is_met:
        yield times.sentence
    if times.throughput:
        yield f"your program alone, timed on the GPU: {times.throughput.sentence}"


def _verdict(view: SubmissionView, result: Result) -> Text:
    tally = f" – {result.tally} {result.tally_of}" if result.tally else ""
    line = Text.assemble((result.title, f"bold {style_of(result.tone)}"), tally)
    shown = {case.name for case in view.cases if case.visibility == "sample" and message_of(case.report)}
    if result.place and result.place in shown:
        return line  # the message is printed above
    case = f"{_case_name(result.place)}: " if result.place else ""
    return line.append(f"\n{case}{message(result.sentence)}")


def _details(case: CaseView, printed: set[str]) -> Iterator[RenderableType]:
    """Explain a sample case. A message that several cases share is printed once."""
    report = case.report
    traceback = str((report.get("exception") or {}).get("traceback") or "")
    is_wrong = case.verdict != "accepted"
    if is_wrong and message_of(report) + traceback not in printed:
        printed.add(message_of(report) + traceback)
        yield Text.assemble("\n", (_case_name(case.name), "bold"), f": {message(message_of(report))}")
        yield from _indented([*_off(case), *([tail(traceback)] if traceback else [])])
    output_text = str(report.get("text") or "")
    if output_text.strip() and output_text not in printed:
        printed.add(output_text)
        yield Text.assemble("\n", (_case_name(case.name), "bold"), ": your code printed")
        yield from _indented([excerpt(output_text)])


def _off(case: CaseView) -> list[str]:
    """Say by how much the output differs, for each wrong leaf if there are several."""
    wrong = [share for share in list_shares(case.report) if not share.is_right]
    if len(wrong) > 1:
        return [f"{one_line(share.path)}: {one_line(share.words)}" for share in wrong]
    used = most_used(case.report)
    return [f"Yours {used}"] if wrong_leaves(case.report) and used else []


def _indented(lines: Sequence[str]) -> Iterator[RenderableType]:
    if lines:
        yield Text(indent("\n".join(lines), INDENT))
