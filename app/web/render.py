"""Templates to responses."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from fastapi.responses import HTMLResponse
from jinja2 import Environment
from markupsafe import Markup

from app.catalog.own_inputs import say
from app.judging.text import printable, spelled
from app.web.environment import open_environment
from app.web.highlight import highlight_lines, link_traceback
from app.web.interface_words import dtype_words, limit_words, shape_of, tolerance_words, type_text
from app.web.markdown import render_inline, render_markdown
from app.web.messages import current_language, gettext, ngettext
from app.web.picture.figure import draw_figures, list_shares, most_used
from app.web.quantity import memory_text, seconds_text, size_text
from app.web.result import capitalise, message_of
from app.web.section import list_sections
from app.web.value_text import (
    arguments_preview,
    fold_lists,
    literal,
    shape_text,
    short_number,
    worst_pair,
    wrong_leaves,
)
from app.web.verdict_words import words_for

_IMPORTED = re.compile(r'(?<![\w$])(?:from|import)"\./([\w-]+\.js)"')
HERE = Path(__file__).parent
STATIC = HERE / "static"
# The sheets of every page, sent as one file: a page is drawn once all of them are there.
SITE_SHEET = "site.css"
SHEETS = ("base", "form", "prose", "code", "problem", "workbench", "result", "picture", "learning")
MAX_TEXT = 300_000  # characters of one text on a page; a source is at most 256 KiB
MAX_LINE = 2000  # characters of one line that stands among others
HEADERS = {"Cache-Control": "no-store"}  # pages differ by who is signed in, and classrooms share computers


class Typed(str):
    """What somebody typed and finds again in a field: it stays as it is, to the letter."""


def harmless(value: Any) -> Any:
    """Whatever a template shows: control characters and marks that turn text are spelled, lone surrogates too."""
    if not isinstance(value, str) or isinstance(value, Typed):
        return value
    return Markup(spelled(value)) if isinstance(value, Markup) else spelled(value)


def render_page(
    template: str, context: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None
) -> HTMLResponse:
    return HTMLResponse(render_text(template, context), status, {**HEADERS, **(headers or {})})


def render_text(template: str, context: Mapping[str, Any]) -> str:
    return _environment().get_template(template).render(context)


@cache
def _environment() -> Environment:
    environment = open_environment(HERE / "templates", harmless)
    environment.add_extension("jinja2.ext.i18n")
    environment.policies["ext.i18n.trimmed"] = True
    environment.install_gettext_callables(gettext, ngettext, newstyle=True)  # type: ignore[attr-defined]
    environment.filters.update(_filters())
    environment.globals.update(static=static_url, imports=list_imports, words_for=words_for, language=current_language)
    environment.globals.update(sections=list_sections)
    return environment


def _filters() -> dict[str, Callable[..., Any]]:
    return {
        "markdown": render_markdown,
        "inline": render_inline,
        "typed": Typed,
        "plain": lambda text: printable(text, MAX_TEXT),
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
        "short": short_number,
        "fault_text": say,
        "sentence": capitalise,
        "message_text": message_of,
        "traceback": link_traceback,
        "seconds": seconds_text,
        "memory": memory_text,
        "size": size_text,
        "time": format_time,
    }


def read_static(name: str) -> bytes:
    if name == SITE_SHEET:
        return b"\n".join((STATIC / f"{sheet}.css").read_bytes() for sheet in SHEETS)
    return (STATIC / name).read_bytes()


@cache
def static_url(name: str) -> str:
    """The address changes with the content, so that browsers may keep the file for good."""
    return f"/static/{name}?v={sha256(read_static(name)).hexdigest()[:12]}"


@cache
def list_imports(name: str) -> tuple[str, ...]:
    """The addresses of what a script of the bundle imports: browsers ask for them before they have read it."""
    text = (STATIC / name).read_text()
    return tuple(f"/static/bundle/{found}" for found in _IMPORTED.findall(text))


def format_time(moment: datetime) -> Markup:
    """In UTC; a script puts it into the reader's zone (assets/page/time.ts)."""
    moment = moment.astimezone(UTC)
    text = Markup('<time datetime="{}" data-moment>{} <span class="zone">UTC</span></time>')
    return text.format(moment.isoformat(timespec="seconds"), moment.strftime("%Y-%m-%d %H:%M"))
