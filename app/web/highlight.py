"""Code with colours: Pygments' short class names, coloured for light and dark in `static/code.css`."""

import html
import re

from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import PythonLexer, get_lexer_by_name
from pygments.lexers.special import TextLexer
from pygments.util import ClassNotFound

from app.judging.text import printable

MAX_TRACEBACK = 20_000
MAX_COLOURED = 50_000  # characters: more would take seconds
_OWN_LINE = re.compile(r"(solution\.py(?:&#34;)?, )line (\d{1,6})\b")
_FORMATTER = HtmlFormatter[str](nowrap=True)


def highlight_code(code: str, language: str) -> str:
    """HTML spans, escaped, without the surrounding <pre>."""
    return highlight(code, _lexer(language), _FORMATTER)


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


def _lexer(language: str) -> Lexer:
    try:
        return get_lexer_by_name(html.unescape(language), stripnl=False) if language else TextLexer(stripnl=False)
    except ClassNotFound:
        return TextLexer(stripnl=False)
