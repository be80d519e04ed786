"""A submission as a terminal shows it, in the words of its page: what is wrong and where, and last the verdict."""

from collections.abc import Iterator, Sequence
from io import StringIO
from textwrap import indent

from rich.console import Console, Group, RenderableType
from rich.spinner import Spinner
from rich.text import Text

from app.cli.console import output
from app.cli.plain import excerpt, message, one_line, tail
from app.cli.preview_text import answer_lines
from app.cli.table import case_table, style_of
from app.submissions.view import CaseView, SubmissionView
from app.web.picture.figure import list_shares, most_used
from app.web.result import Result, describe_result, message_of
from app.web.value_text import wrong_leaves

EXIT_CODES = {"accepted": 0, "judge_error": 3}
INDENT = "  "
KNOWN_MISTAKE = "This looks like a known mistake: "


def print_submission(view: SubmissionView, page: str = "") -> None:
    """`page`: the address where it can be seen."""
    for part in _parts(view, page):
        # What people may want to copy stays in one line, however wide the terminal is.
        output.print(part, soft_wrap=isinstance(part, Text))


def submission_text(view: SubmissionView, page: str = "", width: int = 100) -> str:
    console = Console(file=StringIO(), width=width, force_terminal=False, force_jupyter=False, color_system=None)
    with console.capture() as capture:
        for part in _parts(view, page):
            console.print(part, soft_wrap=isinstance(part, Text))
    return "\n".join(line.rstrip() for line in capture.get().rstrip().splitlines())


def exit_code(view: SubmissionView) -> int:
    """0 when accepted, 1 when not, 3 when the judge failed."""
    return EXIT_CODES.get(view.verdict or "", 1)


def waiting(view: SubmissionView) -> RenderableType:
    """While it is judged: a row for every case that has a result, and what it waits for."""
    result = describe_result(view)
    status = Spinner("dots", Text(message(f"{result.title} {result.sentence}".strip())))
    return Group(case_table(result), "", status) if view.cases else status


def _parts(view: SubmissionView, page: str) -> Iterator[RenderableType]:
    result = describe_result(view)
    if result.rows:
        yield case_table(result)
    told: set[str] = set()
    for case in view.cases:
        if case.visibility == "sample":
            yield from _details(case, told)
            if view.inputs is not None:
                yield from _indented(answer_lines(case.report))
    if result.hint:
        yield Text.assemble("\n", (KNOWN_MISTAKE, "bold"), message(result.hint))
    yield Text("\n").append_text(_verdict(view, result))
    if page:
        yield Text(one_line(page), style="dim")


def _verdict(view: SubmissionView, result: Result) -> Text:
    tally = f" – {result.tally} {result.tally_of}" if result.tally else ""
    line = Text.assemble((result.title, f"bold {style_of(result.tone)}"), tally)
    shown = {case.name for case in view.cases if case.visibility == "sample" and message_of(case.report)}
    if result.place and result.place in shown:
        return line  # its message stands above
    place = f"{one_line(result.place)}: " if result.place else ""
    return line.append(f"\n{place}{message(result.sentence)}")


def _details(case: CaseView, told: set[str]) -> Iterator[RenderableType]:
    """What failed in the same way for every case is told once."""
    report = case.report
    traceback = str((report.get("exception") or {}).get("traceback") or "")
    is_wrong = case.verdict != "accepted"
    if is_wrong and message_of(report) + traceback not in told:
        told.add(message_of(report) + traceback)
        yield Text.assemble("\n", (one_line(case.name), "bold"), f": {message(message_of(report))}")
        yield from _indented([*_off(case), *([tail(traceback)] if traceback else [])])
    printed = str(report.get("text") or "")
    if printed.strip() and printed not in told:
        told.add(printed)
        yield Text.assemble("\n", (one_line(case.name), "bold"), ": your code printed")
        yield from _indented([excerpt(printed)])


def _off(case: CaseView) -> list[str]:
    """Where it is off and by how much, leaf by leaf where there are several."""
    wrong = [share for share in list_shares(case.report) if not share.is_right]
    if len(wrong) > 1:
        return [f"{one_line(share.path)}: {one_line(share.words)}" for share in wrong]
    used = most_used(case.report)
    return [f"Yours {used}"] if wrong_leaves(case.report) and used else []


def _indented(lines: Sequence[str]) -> Iterator[RenderableType]:
    if lines:
        yield Text(indent("\n".join(lines), INDENT))
