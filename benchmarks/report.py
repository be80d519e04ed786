"""The generated section of docs/performance.md: a table for each subject of the figures. And tables of other pages."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.machine import describe_machine
from benchmarks.results import Figure, Part, Results

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The figures with one `what`, as a table and as a panel of a plot. `rows`: the heading of the first column."""

    part: str
    what: str
    title: str
    rows: str
    plot: str


# The plots that docs/performance.md shows.
SHOWN = ("verdicts", "load", "burst", "latency")
PARTS = {"verdicts": "Verdicts", "cost": "Cost", "load": "Load", "growth": "Growth", "capacity": "Capacity"}
SUBJECTS = (
    Subject(part="verdicts", what="verdict", title="From request to verdict", rows="problem", plot="verdicts"),
    Subject(part="verdicts", what="verdict CPU", title="CPU of one submission", rows="problem", plot="verdicts-cpu"),
    Subject(part="cost", what="CPU of a submission, unseen", title="CPU of an unseen solution", rows="part", plot=""),
    Subject(
        part="cost",
        what="CPU of a submission, of the package",
        title="CPU of a package's solution",
        rows="part",
        plot="",
    ),
    Subject(part="cost", what="CPU of a submission, wrong", title="CPU of a wrong solution", rows="part", plot=""),
    Subject(part="cost", what="CPU of an idle server", title="CPU of an idle server", rows="process", plot=""),
    Subject(part="cost", what="verdict of a solution", title="From request to verdict", rows="problem", plot=""),
    Subject(part="cost", what="programs that a solution compiles", title="Programs compiled", rows="problem", plot=""),
    Subject(part="load", what="throughput", title="Submissions judged per second", rows="students", plot="load"),
    Subject(part="load", what="verdict under load", title="From request to verdict", rows="students", plot="load"),
    Subject(part="load", what="CPU under load", title="CPU of one submission", rows="students", plot="load"),
    Subject(part="load", what="burst", title="A burst: submissions judged per second", rows="burst", plot="burst"),
    Subject(part="load", what="burst CPU", title="A burst: CPU of one submission", rows="burst", plot="burst-cpu"),
    Subject(part="load", what="latency", title="Reading while others are judged", rows="request", plot="latency"),
    Subject(part="growth", what="claim", title="Claiming a judging", rows="judgings that wait", plot="growth"),
    Subject(part="growth", what="list", title="Lists of submissions", rows="stored submissions", plot="growth"),
    Subject(part="growth", what="every address", title="All pages and endpoints", rows="stored submissions", plot=""),
    Subject(part="growth", what="grades", title="The grade book of 500 students", rows="hand-ins", plot=""),
    Subject(part="growth", what="start", title="From start to ready", rows="problems", plot="growth"),
    Subject(part="growth", what="catalogue", title="The catalogue's page", rows="problems", plot="growth"),
    Subject(part="growth", what="memory", title="Memory of web and database", rows="problems", plot="growth"),
    Subject(part="capacity", what="CPU of a step", title="CPU of one step", rows="step", plot=""),
    Subject(part="capacity", what="seconds of a step", title="One step alone", rows="step", plot=""),
    Subject(part="capacity", what="statements of a step", title="Statements of one step", rows="step", plot=""),
    Subject(part="capacity", what="seconds in a slot", title="A judging in its slot", rows="framework", plot=""),
    Subject(part="capacity", what="cores in a slot", title="Busy cores of a judging", rows="framework", plot=""),
    Subject(part="capacity", what="launch of a box", title="Starting a box", rows="framework", plot=""),
    Subject(part="capacity", what="notifications of a judging", title="Progress", rows="framework", plot=""),
    Subject(part="capacity", what="CPU of one NOTIFY", title="One NOTIFY", rows="listeners", plot=""),
    Subject(part="capacity", what="commits of 8 connections", title="Commits", rows="transaction", plot=""),
    Subject(part="capacity", what="bytes on disk", title="Storage", rows="of", plot=""),
)


def find_figures(part: Part, subject: Subject) -> list[Figure]:
    return [figure for figure in part.figures if figure.what == subject.what]


def write_section(page: str, results: Results) -> str:
    """Return the page with a new section between its two markers. Raises ValueError without markers."""
    return fill_section(
        page, "\n".join(line for name in PARTS if name in results for line in list_lines(name, results[name]))
    )


def fill_section(page: str, section: str) -> str:
    """Return the page with this text between its two markers. Raises ValueError without markers."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page needs the lines {BEGIN} and {END}, where its tables belong")
    return f"{before}{BEGIN}\n{section}\n{END}{after}"


def describe(part: Part) -> str:
    """Return the date, the machine and the versions of a measurement, in a line."""
    machine = part.machine
    return (
        f"{part.date}, {machine['cores']} cores of {machine['processor']}, {machine['memory_gib']} GiB, "
        f"{machine['kernel']}. {', '.join(f'{library} {number}' for library, number in part.versions.items())}. "
        f"Other processes used {part.busy_cores:.2f} cores before it began."
    )


def list_lines(name: str, part: Part) -> Iterator[str]:
    """Yield the lines of a part's section."""
    yield f"\n## {PARTS[name]}\n"
    yield describe(part)
    for note in part.notes:
        yield f"\n- {note}"
    for subject in SUBJECTS:
        if subject.part == name and (figures := find_figures(part, subject)):
            yield f"\n### {subject.title}\n"
            if subject.plot in SHOWN and _is_first_of_its_plot(subject):
                yield f"![{subject.title}](plots/{subject.plot}.svg)\n"
            yield from _table(figures, subject.rows)


def _is_first_of_its_plot(subject: Subject) -> bool:
    return next(other for other in SUBJECTS if other.plot == subject.plot) == subject


def _table(figures: Sequence[Figure], rows: str) -> Iterator[str]:
    """Yield the lines of a table with a column for each series. All figures have the same unit."""
    series = list(dict.fromkeys(figure.series for figure in figures))
    cells = {(figure.at, figure.series): _cell(figure) for figure in figures}
    yield f"| {rows} | " + " | ".join(f"{name}, {figures[0].unit}" for name in series) + " |"
    yield "|---" * (1 + len(series)) + "|"
    for at in dict.fromkeys(figure.at for figure in figures):
        name = f"{at:,}" if isinstance(at, int) else f"`{at}`" if at.isidentifier() else at
        yield f"| {name} | " + " | ".join(cells.get((at, one), "–") for one in series) + " |"


def _cell(figure: Figure) -> str:
    """Return the median, with the minimum and maximum in parentheses."""
    median = short(figure.median)
    if figure.count == 1:
        return median
    tail = "" if figure.p95 is None else f"; 95 % within {short(figure.p95)}"
    return f"{median} ({short(figure.least)}–{short(figure.most)}{tail})"


def short(value: float) -> str:
    """Return the number with 3 significant digits, or as a whole number from 100 on."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def show_table(rows: Sequence[tuple[str, str]], title: str, program: str, page: Path | None) -> None:
    """Print the rows. If there is a page, write a section with the machine, the date and a table of them, in place of
    the section with the same title.
    """
    for name, value in rows:
        print(f"{name:70} {value}")
    if page is None:
        return
    machine = describe_machine()
    where = f"{machine['cores']} cores of {machine['processor']}, {machine['memory_gib']} GiB, {machine['kernel']}"
    lines = [
        f"## {title}",
        "",
        f"Measured on {datetime.now(UTC):%Y-%m-%d} by `python -m {program}`; {where}. Students, web process, "
        "PostgreSQL and workers share the machine.",
        "",
        "| what | measured |",
        "| - | - |",
        *(f"| {name} | {value} |" for name, value in rows),
        "",
        "",
    ]
    section, old = "\n".join(lines), re.compile(rf"(?ms)^## {title}\n.*?(?=^## |\Z)")
    text = page.read_text()
    page.write_text(old.sub(lambda _: section, text) if old.search(text) else f"{text.rstrip()}\n\n{section}")
