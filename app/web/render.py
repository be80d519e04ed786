"""The rendering of templates: their environment, filters and responses.

Templates escape everything, and a name that is missing in the context is an error.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.meta import find_referenced_templates
from markupsafe import Markup

from app.accounts.permission import Permission
from app.catalog.custom_inputs import OWN_INPUTS, say
from app.catalog.manifest import Limits
from app.catalog.markdown import (
    highlight_lines,
    link_traceback,
    render_code_spans,
    render_inline,
    render_markdown,
)
from app.catalog.model import Availability
from app.catalog.parameter import Described, Parameter
from app.catalog.query import ProblemDetail
from app.courses.local_time import show_local
from app.grading.grade import show_points
from app.judging.checker import number_text
from app.judging.printable_text import printable, spelled
from app.judging.tolerance_comparison import Tolerance, default_for
from app.web.notebook import sample_python
from app.web.picture.figure import draw_figures, list_shares, most_used
from app.web.picture.leaf_values import (
    arguments_preview,
    fold_lists,
    literal,
    shape_text,
    worst_pair,
    wrong_leaves,
)
from app.web.picture.time_plot import draw_time_plot
from app.web.result import capitalise, message_of
from app.web.statement_html import arrange_statement, name_function
from app.web.wording import (
    case_memory_text,
    case_seconds_text,
    memory_text,
    seconds_text,
    short_seconds_text,
    size_text,
    words_for,
)

_ARRAYS = {"jax": "jax.Array", "torch": "torch.Tensor", "numpy": "numpy.ndarray"}
_IMPORTED = re.compile(r'(?<![\w$])(?:from|import)"\./([\w-]+\.js)"')
_LINKED = re.compile(r"url\((fonts/[\w.]+)\)")
HERE = Path(__file__).parent
STATIC = HERE / "static"
# The style sheets of every page, sent as one file.
SITE_SHEET = "site.css"
SHEETS = (
    *("fonts", "base", "form", "prose", "code", "statement", "problem", "tabs", "editor", "result", "picture"),
    *("learning", "personal"),
)
MAX_TEXT = 300_000  # characters of one text on a page; a source is at most 256 KiB
MAX_LINE = 2000  # characters of one line that stands among others
HEADERS = {"Cache-Control": "no-store"}  # pages depend on the user, and classrooms share computers


def open_environment(templates: Path, finalize: Callable[[Any], Any]) -> Environment:
    """Open the templates. `finalize` sanitises each value that a template shows."""
    return Environment(
        loader=FileSystemLoader(templates),
        auto_reload=False,  # a page would ask for the time of each of its files
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=finalize,
    )


@dataclass(frozen=True, slots=True)
class Section:
    address: str
    name: str

    def is_here(self, path: str) -> bool:
        return path == self.address or (self.address != "/admin" and path.startswith(self.address + "/"))


def list_sections(may: Callable[[Permission], bool]) -> tuple[Section, ...]:
    """List the sections of the admin pages that the viewer may see."""
    sections = (
        (Permission.READ_OPERATIONS, Section("/admin", "Overview")),
        (Permission.READ_OPERATIONS, Section("/admin/queue", "Queue and workers")),
        (Permission.READ_OPERATIONS, Section("/admin/judge-errors", "Judge errors")),
        (Permission.INSPECT_SUBMISSIONS, Section("/admin/submissions", "Submissions")),
        (Permission.REJUDGE, Section("/admin/rejudgings", "Rejudgings")),
        (Permission.READ_OPERATIONS, Section("/admin/problems", "Problems")),
        (Permission.READ_USERS, Section("/admin/users", "Users")),
        (Permission.READ_USERS, Section("/admin/invitations", "Invitations")),
        (Permission.READ_OPERATIONS, Section("/admin/platforms", "Learning platforms")),
        (Permission.READ_OPERATIONS, Section("/admin/settings", "Settings")),
        (Permission.READ_OPERATIONS, Section("/admin/storage", "Storage")),
        (Permission.READ_AUDIT, Section("/admin/audit", "Audit log")),
    )
    return tuple(section for right, section in sections if may(right))


def type_text(described: Described) -> str:
    """Return the Python type: `jax.Array`, `dict of torch.Tensor`."""
    name = _ARRAYS.get(described.type, described.type)
    if isinstance(described, Parameter) and described.leaves:
        name = f"{name} of {_ARRAYS[described.leaves]}"
    return f"{name} | None" if isinstance(described, Parameter) and described.nullable else name


def shape_of(described: Described) -> str:
    """Return the shape as a tuple, or an empty text for a value that is not an array."""
    if described.shape is None:
        return ""
    return f"({', '.join(map(str, described.shape))}{',' * (len(described.shape) == 1)})"


ON_GPU = "It runs on a GPU. Products of float32 are computed in float32, not in TF32, unless your code asks for TF32."


def limit_words(limits: Limits) -> str:
    size = f"{limits.memory_mib / 1024:g} GiB" if limits.memory_mib % 512 == 0 else f"{limits.memory_mib} MiB"
    told = f"Limits for each case: {limits.wall_seconds:g} s and {size} of memory."
    return f"{told} {ON_GPU}" if limits.gpu else told


def tolerance_words(problem: ProblemDetail) -> Iterator[tuple[str, str]]:
    """Yield each leaf's path, empty for the whole output, with its tolerance in words."""
    if "*" not in problem.checkers:
        yield "", _closeness(_tolerance_of(problem))
    for path, margin in (problem.tolerance.leaves if problem.tolerance else {}).items():
        yield path, _closeness(margin.tolerance)


def dtype_words(problem: ProblemDetail) -> str:
    match problem.dtype_policy:
        case "exact":
            return "Shape and dtype must match exactly."
        case "kind":
            return "The shape must match exactly. The dtype may have another size: float64 is accepted for float32."
        case "any":
            return "The shape must match exactly. Any dtype is accepted."


@dataclass(frozen=True, slots=True)
class AvailabilityWords:
    """The name of a problem's availability, and what it means for students.

    `notice` is for the problem's page; a listed problem has none.
    """

    name: str
    meaning: str
    notice: str = ""


def availability_words(availability: Availability) -> AvailabilityWords:
    """Return the words for an availability."""
    match availability:
        case "draft":
            return AvailabilityWords(
                "Draft",
                "Only authors can open it and submit.",
                "This problem is a draft. Only authors can see it.",
            )
        case "unlisted":
            return AvailabilityWords(
                "Unlisted",
                "It is in no list. Everyone who knows the address can open it and submit.",
                "This problem is unlisted. You can open it by its address only.",
            )
        case "course":
            return AvailabilityWords(
                "Course",
                "Only this course's members can open it, once an assignment with it has opened.",
                "This problem belongs to a course. Only its members can open it.",
            )
        case "withdrawn":
            return AvailabilityWords(
                "Withdrawn",
                "Everyone can still read it. It is in no list and takes no submissions.",
                "This problem is withdrawn and takes no new submissions. Your submissions and progress are kept.",
            )
        case _:
            return AvailabilityWords("Listed", "It is in the catalogue and in its track.")


def _tolerance_of(problem: ProblemDetail) -> Tolerance:
    if problem.tolerance is not None:
        return problem.tolerance.tolerance
    plain = {"float": "float64"}.get(problem.returns.type, problem.returns.type)
    return default_for(problem.returns.dtype or plain)


def _closeness(tolerance: Tolerance) -> str:
    """Return "Values must be within 1e-4 + 2e-4·|expected| of the expected ones."."""
    if tolerance.rtol == 0 and tolerance.atol == 0:
        return "Values must equal the expected ones."
    parts = [number_text(tolerance.atol)] if tolerance.atol else []
    parts += [f"{number_text(tolerance.rtol)}·|expected|"] if tolerance.rtol else []
    return "Values must be within {margin} of the expected ones.".format(margin=" + ".join(parts))


class TypedText(str):
    """Text that a user typed, shown unchanged in a form field."""


def harmless(value: Any) -> Any:
    """Escape control characters, bidirectional marks and lone surrogates in a value that a template shows."""
    if not isinstance(value, str) or isinstance(value, TypedText):
        return value
    return Markup(spelled(value)) if isinstance(value, Markup) else spelled(value)


def render_page(
    template: str, context: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None
) -> HTMLResponse:
    return HTMLResponse(render_text(template, context), status, {**HEADERS, **(headers or {})})


def render_text(template: str, context: Mapping[str, Any]) -> str:
    return _environment().get_template(template).render(context)


def compile_templates(*names: str) -> None:
    """Compile these templates and all that they refer to, for which the first reader would wait."""
    environment, waiting, compiled = _environment(), set(names), set[str]()
    while waiting:
        name = waiting.pop()
        compiled.add(name)
        path = environment.get_template(name).filename
        assert path is not None  # the templates are files
        referred = find_referenced_templates(environment.parse(Path(path).read_text()))
        waiting |= {found for found in referred if found is not None} - compiled


def _read_example() -> dict[str, Any]:
    """Return the report of one sample case with a common mistake."""
    example: dict[str, Any] = json.loads((HERE / "example.json").read_text())
    return example


@cache
def _render_unchanging(template: str) -> Markup:
    """Render a template that depends on nothing, once."""
    return Markup(_environment().get_template(template).render())


@cache
def _environment() -> Environment:
    environment = open_environment(HERE / "templates", harmless)
    environment.filters.update(_filters())
    environment.globals.update(static=static_url, imports=list_imports, words_for=words_for)
    environment.globals.update(
        sections=list_sections,
        availability_words=availability_words,
        name_lists=list_name_lists,
        own_inputs_name=OWN_INPUTS,
        unchanging=_render_unchanging,
        read_example=_read_example,
    )
    return environment


def _filters() -> dict[str, Callable[..., Any]]:
    return {
        "markdown": render_markdown,
        "inline": render_inline,
        "statement": arrange_statement,
        "name_function": name_function,
        "sample_python": sample_python,
        "typed": TypedText,
        "plain": lambda text: printable(text, MAX_TEXT),
        "code_spans": render_code_spans,
        "cut": lambda text: printable(text, MAX_LINE),
        "code_lines": lambda source: highlight_lines(printable(source, MAX_TEXT)),
        "literal": literal,
        "arguments": arguments_preview,
        "fold_lists": fold_lists,
        "worst_pair": worst_pair,
        "wrong_leaves": wrong_leaves,
        "figures": draw_figures,
        "most_used": most_used,
        "shares": list_shares,
        "shape": shape_text,
        "type_text": type_text,
        "shape_of": shape_of,
        "limit_words": limit_words,
        "tolerance_words": tolerance_words,
        "dtype_words": dtype_words,
        "short": number_text,
        "fault_text": say,
        "sentence": capitalise,
        "message_text": message_of,
        "traceback": link_traceback,
        "seconds": seconds_text,
        "case_seconds": case_seconds_text,
        "case_memory": case_memory_text,
        "short_seconds": short_seconds_text,
        "time_plot": draw_time_plot,
        "memory": memory_text,
        "size": size_text,
        "time": format_time,
        "local": show_local,
        "points": show_points,
    }


def read_static(name: str) -> bytes:
    if name == SITE_SHEET:
        sheet = "\n".join((STATIC / f"{sheet}.css").read_text() for sheet in SHEETS)
        return _LINKED.sub(lambda found: f"url({static_url(found[1])})", sheet).encode()
    return (STATIC / name).read_bytes()


@cache
def static_url(name: str) -> str:
    """Return an address that changes with the content, so that browsers can cache the file forever."""
    return f"/static/{name}?v={sha256(read_static(name)).hexdigest()[:12]}"


@cache
def list_name_lists() -> str:
    """Return the addresses of the lists of names that the editor completes (assets/list_names.py)."""
    return " ".join(static_url(f"names/{path.name}") for path in sorted((STATIC / "names").glob("*.json")))


@cache
def list_imports(name: str) -> tuple[str, ...]:
    """List the addresses of a bundled script's imports, for preloading."""
    text = (STATIC / name).read_text()
    return tuple(f"/static/bundle/{found}" for found in _IMPORTED.findall(text))


def format_time(moment: datetime) -> Markup:
    """Format a time in UTC. A script converts it to the reader's time zone (assets/page/time.ts)."""
    moment = moment.astimezone(UTC)
    text = Markup('<time datetime="{}" data-moment>{} <span class="zone">UTC</span></time>')
    return text.format(moment.isoformat(timespec="seconds"), moment.strftime("%Y-%m-%d %H:%M"))
