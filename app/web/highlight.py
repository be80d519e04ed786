"""Code with colours: Pygments' short class names, coloured for light and dark in `static/code.css`.

A regular expression holds the interpreter until it has matched or failed, and all other requests wait. So only lexers
whose cost grows with the length of the text are used, whatever the text is; Pygments' own for Python is none of them.
"""

import builtins
import html
import keyword
import re
from typing import Any, ClassVar

from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer, RegexLexer, default, include, words
from pygments.lexers import DiffLexer, JsonLexer
from pygments.token import Comment, Keyword, Name, Number, String, Text

from app.judging.text import printable

MAX_TRACEBACK = 20_000
MAX_COLOURED = 50_000  # characters: more would make a page of several megabytes
_OWN_LINE = re.compile(r"(solution\.py(?:&#34;)?, )line (\d{1,6})\b")
_FORMATTER = HtmlFormatter[str](nowrap=True)

_CONSTANTS = ("False", "None", "True")
_QUOTES = ('"""', "'''", '"', "'")


def _string_rules(quote: str, *, has_values: bool) -> list[Any]:
    """`has_values`: an f-string. What opens a brace there, and never closes it, is coloured as code to the end."""
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
    """Python as far as it has colours. Each pattern matches what it looked at, or fails within a few characters; one
    that begins a line looks at most once at the spaces there."""

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


# What authors may name behind the three back ticks. All else is text without colours.
LEXERS: dict[str, type[Lexer]] = {
    **dict.fromkeys(("python", "python3", "py"), PythonLexer),
    "json": JsonLexer,
    "diff": DiffLexer,
}


def highlight_code(code: str, language: str) -> str:
    """HTML spans, escaped, without the surrounding <pre>. A very long code has no colours."""
    lexer = LEXERS.get(language.lower())
    if lexer is None or len(code) > MAX_COLOURED:
        return html.escape(code)
    return highlight(code, lexer(stripnl=False), _FORMATTER)


def highlight_lines(source: str) -> list[str]:
    """A Python source as one piece of HTML per line; a token over several lines is closed and opened again.

    A very long one has no colours.
    """
    if len(source) > MAX_COLOURED:
        return [html.escape(line) for line in source.removesuffix("\n").split("\n")]
    marked = highlight(source, PythonLexer(stripnl=False, ensurenl=True), _FORMATTER)
    return marked.removesuffix("\n").split("\n") if source else []


def link_traceback(text: str) -> Markup:
    """A traceback or a syntax error's message; what it names of the solution leads to the line beside it."""
    return Markup(_OWN_LINE.sub(r'\1<a href="#L\2">line \2</a>', str(escape(printable(text, MAX_TRACEBACK)))))
