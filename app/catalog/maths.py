"""The Markdown parser of statements, and their formulas: LaTeX to MathML on the server.

`latex2mathml` builds a tree and then undoes its own escaping, so the content of `\text{…}` would become HTML. This
module takes the tree, copies only known elements and harmless attributes, and escapes once.
"""

import html
import re
from xml.etree.ElementTree import Element, SubElement, tostring

from latex2mathml.converter import Converter
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.dollarmath.index import math_inline_dollar

from app.judging.text import lines_of

MAX_LATEX = 2_000
NAMESPACE = "http://www.w3.org/1998/Math/MathML"
# Macros are not supported: a few lines of them expand without bound.
REFUSED = re.compile(r"\\(?:def|newcommand|renewcommand|newenvironment|DeclareMathOperator)(?![A-Za-z])")
UNKNOWN_COMMAND = re.compile(r"\\[A-Za-z]+")
ALIGNED = re.compile(r"\\(begin|end)\{(?:aligned|split)\}")  # the converter knows only `align*`
ELEMENT = re.compile(
    r"math|none|m(?:row|i|n|o|s|text|space|frac|sqrt|root|sub|sup|subsup|under|over|underover|multiscripts|prescripts|"
    r"table|tr|td|style|padded|phantom)"
)
WORD_ATTRIBUTE = re.compile(
    r"mathvariant|stretchy|fence|form|accent|accentunder|movablelimits|largeop|symmetric|displaystyle|scriptlevel|"
    r"columnalign|columnlines|rowlines|linethickness"
)
LENGTH_ATTRIBUTE = re.compile(r"width|height|depth|lspace|rspace|minsize|maxsize|columnspacing|rowspacing")
WORD = re.compile(r"[a-z0-9+\- ]{1,40}")
LENGTH = re.compile(r"(?:-?\d(?:\.\d{1,4})?(?:em|ex|pt) ?){1,8}")  # below 10: a formula can't push the page apart
# In a displayed formula, the condition stands below these names.
LIMITS = frozenset(
    ("lim", "lim inf", "lim sup", "max", "min", "sup", "inf", "argmax", "argmin", "arg max", "arg min", "Pr")
)
# The parser pads rows to the width of the header, so a few kB could make millions of cells.
MAX_CELLS = 10_000


class UnreadableFormula(Exception):
    """The formula can't be rendered; pages show its source."""


def render_maths(latex: str, *, block: bool) -> str:
    """Return MathML that is safe in a page, or the source in <code> if the converter can't read it."""
    try:
        return tostring(_copy(_convert(latex, "block" if block else "inline"), None), encoding="unicode")
    except UnreadableFormula:
        return f'<code class="maths-source">{html.escape(latex)}</code>'


def is_readable(latex: str) -> bool:
    """Whether a page can render the formula."""
    try:
        _copy(_convert(latex, "inline"), None)
    except UnreadableFormula:
        return False
    return True


def _convert(latex: str, display: str) -> Element:
    if len(latex) > MAX_LATEX or REFUSED.search(latex):
        raise UnreadableFormula
    try:
        return Converter(display=display).convert_to_element(ALIGNED.sub(r"\\\1{align*}", latex))
    except Exception as error:  # the library raises IndexError, KeyError, RecursionError and more on bad input
        raise UnreadableFormula from error


def _copy(node: Element, parent: Element | None) -> Element:
    if not ELEMENT.fullmatch(node.tag):
        raise UnreadableFormula
    attributes = {name: value for name, value in node.attrib.items() if _is_harmless(name, value)}
    copy = (
        Element("math", {"xmlns": NAMESPACE, **attributes})
        if parent is None
        else SubElement(parent, node.tag, attributes)
    )
    copy.text = _text(node.text)
    for child in node:
        _copy(child, copy)
    if copy.tag == "msub" and len(copy) and copy[0].tag == "mo" and " ".join((copy[0].text or "").split()) in LIMITS:
        copy.tag = "munder"
        copy[0].set("movablelimits", "true")
    return copy


def _text(text: str | None) -> str:
    plain = html.unescape(text or "")
    if UNKNOWN_COMMAND.fullmatch(plain):
        raise UnreadableFormula
    return plain.replace(r"\_", "_")  # the converter leaves it in \text and \texttt


def _is_harmless(name: str, value: str) -> bool:
    if name == "display":
        return value in ("block", "inline")
    if WORD_ATTRIBUTE.fullmatch(name):
        return WORD.fullmatch(value) is not None
    return LENGTH_ATTRIBUTE.fullmatch(name) is not None and LENGTH.fullmatch(value) is not None


_dollar_rule = math_inline_dollar(allow_digits=False, allow_double=True)


def make_parser(text: str, **options: object) -> MarkdownIt:
    """Return a parser for this text. `options` are for formulas. Tables with too many cells stay text."""
    parser = MarkdownIt("commonmark", {"html": False})
    if not has_great_tables(text):
        parser.enable("table")
    parser.use(dollarmath_plugin, allow_labels=False, allow_digits=False, double_inline=True, **options)
    parser.inline.ruler.at("math_inline", _math_inline)
    return parser


def _math_inline(state: StateInline, silent: bool) -> bool:
    """Apply the plugin's rule to a text that ends in a line break.

    The rule looks at the character before a `$`. At the start of a text that is `src[-1]`, the text's last character: a
    digit or a backslash there would make the `$` an amount of money or an escaped one.
    """
    text = state.src
    if text[state.pos] != "$":
        return False
    state.src = text + "\n"
    try:
        return _dollar_rule(state, silent)
    finally:
        state.src = text


def has_great_tables(text: str) -> bool:
    bars = [line.count("|") for line in lines_of(text) if "|" in line]
    return len(bars) * (max(bars, default=0) + 1) > MAX_CELLS
