"""Markdown to safe HTML for pages, also for hostile authors.

Code is highlighted with Pygments' short class names and the colours of `static/code.css`. A regular expression blocks
the interpreter and all other requests. So only lexers whose cost is linear in the text are used, which Pygments' Python
lexer is not.
"""

import builtins
import html
import keyword
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer, RegexLexer, default, include, words
from pygments.lexers import DiffLexer, JsonLexer
from pygments.token import Comment, Keyword, Name, Number, String, Text

from app.catalog.maths import make_parser, render_maths
from app.judging.printable_text import printable

MAX_TRACEBACK = 20_000
MAX_SENTENCES = 20_000  # characters of a message or a hint
MAX_COLOURED = 50_000  # characters: more would make a page of several megabytes
# More lines share the last number, since each takes 40 characters of a page.
MAX_NUMBERED_LINES = 5_000
# Formulas and coloured code take many times the characters of their source.
MAX_RENDERED = 1_500_000
MAX_POST_RENDERED = 100_000  # of one post among many on a page
# Changes with all that may change the HTML of a text.
RENDERER = sha256(
    "".join(
        [
            *(version(library) for library in ("markdown-it-py", "mdit-py-plugins", "math-core", "pygments")),
            *(Path(__file__).with_name(name).read_text() for name in ("markdown.py", "maths.py")),
        ]
    ).encode()
).hexdigest()[:16]
# A link to another page of the documentation, with its text, file and anchor.
_FILE_LINK = re.compile(r"\[([^\[\]]+)\]\(([\w./-]+\.md)(#[\w-]+)?\)")
_CODE_SPAN = re.compile(r"`([^`\n]+)`")
# Characters of LaTeX: more may be wider than a phone, where the formula then scrolls on a line of its own.
LONG_FORMULA = 40
# What belongs to the word of a formula before it: "," and "-th" and ").".
_JOINED = re.compile(r"\S{1,8}(?=\s|$)")
_OWN_LINE = re.compile(r"(solution\.py(?:&#34;)?, )line (\d{1,6})\b")
_FORMATTER = HtmlFormatter[str](nowrap=True)

_CONSTANTS = ("False", "None", "True")
_QUOTES = ('"""', "'''", '"', "'")


def _string_rules(quote: str, *, has_values: bool) -> list[Any]:
    """Return the rules of a string. `has_values`: an f-string, where an unclosed brace makes the rest code."""
    stops = "\\\\" + quote[0] + ("{}" if has_values else "") + ("" if len(quote) == 3 else "\\n")
    values = [(r"\{\{|\}\}", String.Escape), (r"\{", String.Interpol, "value"), (r"\}", String)] if has_values else []
    return [
        (quote, String, "#pop"),
        (r"\\[\s\S]", String.Escape),
        *values,
        (f"[^{stops}]+", String),
        (r"[\\\"']", String),
    ]


class PythonLexer(RegexLexer):
    """A linear-time Python lexer for highlighting.

    Each pattern matches all that it read, or fails within a few characters. A pattern at a line's start reads the
    leading spaces at most once.
    """

    name = "Python"
    tokens: ClassVar[dict[str, list[Any]]] = {
        "root": [
            (r"\n+", Text),
            (r"#[^\n]*", Comment.Single),
            (r"^[ \t]*@[^\W\d][\w.]*", Name.Decorator),
            (r"^[ \t]*(?:match|case)(?= [^\s=.,:)])", Keyword),
            (r"[^\S\n]+", Text),
            *((rf"(?i:([ft]|r[ft]|[ft]r))({quote})", String, "f" + quote) for quote in _QUOTES),
            *((rf"(?i:([bu]|b?r|rb)?)({quote})", String, quote) for quote in _QUOTES),
            (r"0[xXoObB][\da-fA-F_]+|(?:\d|\.\d)[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?\d[\d_]*)?[jJ]?", Number.Integer),
            (r"def\b", Keyword, "function"),
            (r"class\b", Keyword, "class"),
            (words(_CONSTANTS, suffix=r"\b"), Keyword.Constant),
            (words(sorted(set(keyword.kwlist) - {*_CONSTANTS, "def", "class"}), suffix=r"\b"), Keyword),
            (words(("self", "cls"), suffix=r"\b"), Name.Builtin.Pseudo),
            (r"\.[^\W\d]\w*", Text),
            (words(sorted(dir(builtins)), suffix=r"\b"), Name.Builtin),
            (r"\w+", Text),
            (r"[^\w\s#'\"{}.@]+|.", Text),
        ],
        "function": [(r"[^\S\n]+", Text), (r"\w+", Name.Function, "#pop"), default("#pop")],
        "class": [(r"[^\S\n]+", Text), (r"\w+", Name.Class, "#pop"), default("#pop")],
        "value": [(r"\}", String.Interpol, "#pop"), (r"\{", String.Interpol, "#push"), include("root")],
        **{quote: _string_rules(quote, has_values=False) for quote in _QUOTES},
        **{"f" + quote: _string_rules(quote, has_values=True) for quote in _QUOTES},
    }


# The languages of fenced code blocks. All others are not highlighted.
LEXERS: dict[str, type[Lexer]] = {
    **dict.fromkeys(("python", "python3", "py"), PythonLexer),
    "json": JsonLexer,
    "diff": DiffLexer,
}


def highlight_code(code: str, language: str) -> str:
    """Return escaped HTML spans without the surrounding <pre>. Very long code is not highlighted."""
    lexer = LEXERS.get(language.lower())
    if lexer is None or len(code) > MAX_COLOURED:
        return html.escape(code)
    return highlight(code, lexer(stripnl=False), _FORMATTER)


def highlight_lines(source: str) -> list[str]:
    """Return one piece of HTML for each line of a Python source. A very long source is not highlighted.

    Tokens that span several lines are closed and reopened at each line. The last piece holds all lines from
    MAX_NUMBERED_LINES on.
    """
    if len(source) > MAX_COLOURED:
        lines = [html.escape(line) for line in source.removesuffix("\n").split("\n")]
    else:
        marked = highlight(source, PythonLexer(stripnl=False, ensurenl=True), _FORMATTER)
        lines = marked.removesuffix("\n").split("\n") if source else []
    last = MAX_NUMBERED_LINES - 1
    return lines if len(lines) <= MAX_NUMBERED_LINES else [*lines[:last], "\n".join(lines[last:])]


def link_traceback(text: str) -> Markup:
    """Return a traceback or syntax error with links from the solution's lines to the code on the page."""
    return Markup(_OWN_LINE.sub(r'\1<a href="#L\2">line \2</a>', str(escape(printable(text, MAX_TRACEBACK)))))


def render_code_spans(text: str) -> Markup:
    """Escape a sentence and show what it has in backticks as code. Markup stays as it is."""
    safe = text if isinstance(text, Markup) else escape(printable(text, MAX_SENTENCES))
    return Markup(_CODE_SPAN.sub(r"<code>\1</code>", str(safe)))


def render_markdown(text: str, figures: Mapping[str, str] | None = None) -> Markup:
    """Render a text, or show its source if the page would become too large.

    `figures`: SVG by path. The text shows one with `![alt text](path)`. Other images are not shown.
    """
    return _render(text, tuple((figures or {}).items()))


@lru_cache(maxsize=256)  # a statement takes 12 ms to render
def _render(text: str, figures: tuple[tuple[str, str], ...]) -> Markup:
    parser, env = _parser(text), {"figures": dict(figures)}
    tokens = parser.parse(text, env)
    for token in tokens:
        if token.tag == "h1":  # the page has one
            token.tag = "h2"
    rendered = parser.renderer.render(tokens, parser.options, env)
    if len(rendered) > MAX_RENDERED:
        return show_source(text)
    return Markup(rendered)


def render_post(text: str) -> Markup:
    """Render a user's question or answer: as other texts, without headings, which would look like the page's own.

    Costs up to 20 µs for each character. So the HTML is stored.
    """
    rendered = _parser(text).disable(["heading", "lheading"]).render(text, {})
    return Markup(rendered) if len(rendered) <= MAX_POST_RENDERED else show_source(text)


def show_source(text: str) -> Markup:
    """Return the text as it was written."""
    return Markup('<pre tabindex="0">{}</pre>').format(text)


@lru_cache(maxsize=1024)  # 1 ms to make a parser; a problem's page has several lines
def render_inline(text: str) -> Markup:
    """Render one line of Markdown, such as a parameter's doc, without the surrounding paragraph."""
    return Markup(_parser(text).renderInline(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Guide:
    """A rendered page of the documentation. `contents`: the anchor and text of each section."""

    title: str
    html: Markup
    contents: tuple[tuple[str, str], ...]


def render_guide(text: str, links: Mapping[str, tuple[str, str]]) -> Guide:
    """Render a page of the documentation. `links`: the addresses and titles of other files; other links become text."""

    def link(found: re.Match[str]) -> str:
        words, file, anchor = found[1], found[2].rpartition("/")[2], found[3] or ""
        if file not in links:
            return words
        address, title = links[file]
        return f"[{title if words == file else words}]({address}{anchor})"

    parser = _parser(text)
    tokens = parser.parse(_FILE_LINK.sub(link, text))
    seen: Counter[str] = Counter()
    title, contents = "", []
    for opening, inline in pairwise(tokens):
        if opening.type != "heading_open":
            continue
        words = re.sub(r"[`*]", "", inline.content)
        anchor = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        opening.attrSet("id", f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor)
        seen[anchor] += 1
        title = title or words
        if opening.tag == "h2":
            contents.append((str(opening.attrGet("id")), words))
    html = parser.renderer.render(tokens, parser.options, {"figures": {}})
    return Guide(title=title, html=Markup(html), contents=tuple(contents))


def _blockquote_open(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    """Mark a quotation that begins with "**Warning" as a warning."""
    if index + 2 < len(tokens) and tokens[index + 2].content.startswith("**Warning"):
        tokens[index].attrSet("class", "warning")
    return renderer.renderToken(tokens, index, options, env)


def _link_open(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    tokens[index].attrSet("rel", "nofollow noopener")
    # `//host` is another site, with the scheme of this page.
    tokens[index].attrSet("href", re.sub(r"^/{2,}", "https://", str(tokens[index].attrGet("href"))))
    return renderer.renderToken(tokens, index, options, env)


def _inside_text(
    _renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, _env: EnvType
) -> str:
    """Keep what follows without a space, such as a comma or "-th", on the formula's line."""
    after = tokens[index + 1] if index + 1 < len(tokens) and tokens[index + 1].type == "text" else None
    joined = _JOINED.match(after.content) if after else None
    if after and joined:
        after.content = after.content[joined.end() :]
    latex = tokens[index].content.strip()
    formula = render_maths(latex, block=False)
    attributes = 'class="math inline long" tabindex="0"' if len(latex) > LONG_FORMULA else 'class="math inline"'
    return f"<span {attributes}>{formula}{html.escape(joined[0]) if joined else ''}</span>"


def _display_inside_text(
    _renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, _env: EnvType
) -> str:
    # The plugin's own <div> would end the surrounding paragraph.
    return f'<span class="math block" tabindex="0">{render_maths(tokens[index].content.strip(), block=True)}</span>'


def _display(_renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, _env: EnvType) -> str:
    # As _fence.
    return f'<div class="math block" tabindex="0">{render_maths(tokens[index].content.strip(), block=True)}</div>\n'


def _fence(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    # Scrollable parts must be reachable by keyboard.
    return renderer.fence(tokens, index, options, env).replace("<pre>", '<pre tabindex="0">', 1)


def _image(_renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, env: EnvType) -> str:
    """Show a figure of the package. Pages load nothing from other sites, so other images are their alt text."""
    alt, source = html.escape(tokens[index].content), str(tokens[index].attrs.get("src", ""))
    figure = env.get("figures", {}).get(source)
    if figure is None:
        return alt
    return f'<img class="figure" alt="{alt}" src="data:image/svg+xml;base64,{b64encode(figure.encode()).decode()}">'


def _cell_open(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    # The content policy forbids the style attribute of aligned columns.
    if style := tokens[index].attrs.pop("style", None):
        tokens[index].attrSet("class", f"to-{str(style).rpartition(':')[2]}")
    return renderer.renderToken(tokens, index, options, env)


def _table_open(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    # As _fence.
    return '<div class="table-scroll" tabindex="0">' + renderer.renderToken(tokens, index, options, env)


def _table_close(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    return renderer.renderToken(tokens, index, options, env) + "</div>\n"


def _parser(text: str) -> MarkdownIt:
    parser = make_parser(text)
    parser.options["highlight"] = _highlight
    parser.add_render_rule("image", _image)
    parser.add_render_rule("blockquote_open", _blockquote_open)
    parser.add_render_rule("link_open", _link_open)
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("table_open", _table_open)
    parser.add_render_rule("table_close", _table_close)
    parser.add_render_rule("th_open", _cell_open)
    parser.add_render_rule("td_open", _cell_open)
    parser.add_render_rule("math_block", _display)
    parser.add_render_rule("math_inline", _inside_text)
    parser.add_render_rule("math_inline_double", _display_inside_text)
    return parser


def _highlight(code: str, language: str, _attributes: str) -> str:
    return highlight_code(code, language)
