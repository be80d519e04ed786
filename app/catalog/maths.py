r"""The Markdown parser of statements, and their formulas: LaTeX to MathML on the server.

`math_core` converts as TeX does, and refuses what it does not know. Its output is data here: this module copies known
elements and attributes, and refuses all others. The Content-Security-Policy forbids its `style` attributes, so known
declarations become classes of `static/base.css`.

`math_core` tries each opening bracket as the beginning of a pair. If a formula has n brackets without a partner, that
takes 2^n steps. So formulas with many such brackets are refused.
"""

import re
import unicodedata
from dataclasses import dataclass
from html import escape, unescape
from xml.etree.ElementTree import Element, ParseError, SubElement, fromstring, tostring

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from math_core import LatexError, LatexToMathML
from mdit_py_plugins.dollarmath import dollarmath_plugin

from app.judging.printable_text import lines_of

MAX_LATEX = 2_000
MAX_UNPAIRED = 6
# Macros may expand without bound. A class of atoms hides brackets from `_count_unpaired`. Lines of tables come out
# wrong, and a "%" hides the rest of a line. A bracket after `\pmod` multiplies the steps.
REFUSED = re.compile(
    r"\\(?:def|let|(?:re)?newcommand|providecommand|newenvironment|DeclareMathOperator)(?![A-Za-z])"
    r"|\\(?:math(?:open|close|inner)|h(?:dash)?line)(?![A-Za-z])|(?<!\\)%|\\pmod(?![A-Za-z]|\s*[{0-9A-Za-z])"
)
COLOUR = re.compile(r"\\(?:color|textcolor)(?![A-Za-z])")
ENVIRONMENT = re.compile(r"\\begin\s*\{(\w+\*?)\}((?!\\begin)[\s\S])*?\\end\s*\{\1\}|\\substack\s*\{[^{}]*\}")
# What `math_core` lacks, in words that it has. Equations have no numbers here.
SUBSTITUTES = (
    (re.compile(r"\\(begin|end)\s*\{(?:align|split|eqnarray)\*?\}"), r"\\\1{aligned}"),
    (re.compile(r"\\(begin|end)\s*\{(?:gather|multline)\*?\}"), r"\\\1{gathered}"),
    (re.compile(r"\\(?:begin|end)\s*\{equation\*?\}|\\(?:nonumber|notag)(?![A-Za-z])|\\label\s*\{[^{}]*\}"), ""),
    (re.compile(r"\\tag\*?\s*\{([^{}]*)\}"), r"\\qquad\\text{(\1)}"),
    # Chromium does not stretch an arrow that has a label on one side only.
    (re.compile(r"\\(x\w*(?:arrow|mapsto))\s*\{"), r"\\\1[{}]{"),
    (re.compile(r"\\text(?:rm|up|md|normal)(?![A-Za-z])"), r"\\text"),
    (
        re.compile(r"\\mathop\s*\{\\(?:mathrm|text|operatorname)\s*\{([^{}]*)\}\}(?:\\limits(?![A-Za-z]))?"),
        r"\\operatorname*{\1}",
    ),
)
MACROS = {
    "substack": r"\begin{subarray}{c}#1\end{subarray}",
    "mathds": r"\mathbb{#1}",
    "mathbbm": r"\mathbb{#1}",
    "dotsc": r"\ldots",
    "dotso": r"\ldots",
    "dotsb": r"\cdots",
}
DELIMITERS = ("Angle", "Brace", "Vert", "ang", "angle", "brace", "brack", "ceil", "floor", "group", "paren", "vert")
OPENING = {"(", "[", r"\{", r"\ulcorner", r"\llangle", r"\llbracket", r"\llcorner", r"\llparenthesis", r"\lmoustache"}
OPENING |= {rf"\l{name}" for name in DELIMITERS}
CLOSING = {")", "]", r"\}", r"\urcorner", r"\rrangle", r"\rrbracket", r"\lrcorner", r"\rrparenthesis", r"\rmoustache"}
CLOSING |= {rf"\r{name}" for name in DELIMITERS}
# Commands, `^` and `_` take what follows as an argument, even a bracket.
ARGUMENT = re.compile(
    r"[\^_]|\\(?:(?:math|over|text|under|wide|x\w*(?:arrow|mapsto))\w*|[bx]?cancel|d{0,4}dot|[hv]?phantom|"
    r"acute|angl|bar|bm|bold(?:symbol)?|boxed|[bB]ra(?:ket)?|breve|check|emph|eqref|[fhm]box|frak|global|grave|hat|[kK]et|"
    r"[mp]od|pmod|not|operatorname|Overrightarrow|root|[sS]et|smash|sqrt|substack|tilde|utilde|vec|[lrm]lap)"
)
ARGUMENTS = {
    **dict.fromkeys([r"\binom", r"\dbinom", r"\tbinom", r"\cfrac", r"\dfrac", r"\frac", r"\tfrac"], 2),
    **dict.fromkeys([r"\overset", r"\stackrel", r"\textcolor", r"\underset"], 2),
    **{r"\overunderset": 3, r"\prescript": 3, r"\sideset": 3, r"\mathchoice": 4, r"\genfrac": 6},
}
OPTIONAL = re.compile(r"\\(?:sqrt|cfrac|smash|x\w*(?:arrow|mapsto))")
SIZED = re.compile(r"\\(?:[Bb]igg?(?P<side>[lrm]?)|(?P<left>left)|(?P<right>right)|middle)(?![A-Za-z])")
TOKEN = re.compile(rf"{SIZED.pattern}\s*(?:\\[A-Za-z]+|\\?[\s\S])?|\\[A-Za-z]+|\\?[\s\S]")

ELEMENT = re.compile(
    r"math|m(?:row|i|n|o|text|space|frac|sqrt|root|sub|sup|subsup|under|over|underover|multiscripts|prescripts|"
    r"table|tr|td|padded|phantom)|code|b|i|em|span"
)
WORD_ATTRIBUTE = re.compile(
    r"display|mathvariant|stretchy|fence|form|accent|accentunder|movablelimits|largeop|symmetric|separator|displaystyle|"
    r"scriptlevel"
)
LENGTH_ATTRIBUTE = re.compile(r"width|height|depth|lspace|rspace|minsize|maxsize|linethickness|voffset")
WORD = re.compile(r"[a-z0-9+\- ]{1,40}")
LENGTH = re.compile(r"0|\d(?:\.\d{1,8})?em")  # below 10: a formula can't push the page apart
CLASS = {
    "text-align:left": "to-left",
    "text-align:right": "to-right",
    "justify-items:start": "",
    "justify-items:end": "",
    "padding-left:0": "no-left",
    "padding-right:0": "no-right",
    "padding-top:0": "no-top",
    "padding-bottom:0": "no-bottom",
    "padding-left:1em": "wide-left",
    "padding-right:0.1667em": "thin-right",
    "padding-left:0.1667em": "thin-left",
    "padding-right:0.2778em": "thick-right",
    "padding-left:0.2778em": "thick-left",
    "padding-top:0.1667em": "thin-top",
    "margin-left:-0.16666667em": "back",
    **{
        f"border-{side}:0.05em {line} currentcolor": f"{line}-{side}"
        for side in ("left", "right", "top", "bottom")
        for line in ("solid", "dashed")
    },
}
# What `math_core` draws a line with. Fonts do not stretch it.
COMBINING_LOW_LINE = "\u0332"
# As a reference: pages show the characters themselves escaped, as other invisible ones.
INVISIBLE_OPERATOR = re.compile("[\u2061-\u2064]")
# The parser pads rows to the width of the header, so a few kB could make millions of cells.
MAX_CELLS = 10_000


class UnreadableFormula(Exception):
    """The formula can't be rendered; pages show its source."""


def render_maths(latex: str, *, block: bool) -> str:
    """Return MathML that is safe in a page, or the source in <code> if it can't be shown right."""
    try:
        mathml = tostring(_copy(_convert(latex, block=block), None), encoding="unicode")
        return INVISIBLE_OPERATOR.sub(lambda found: f"&#{ord(found[0])};", mathml)
    except UnreadableFormula:
        return f'<code class="maths-source">{escape(latex)}</code>'


def is_readable(latex: str) -> bool:
    """Whether a page shows the formula as its author means it. Pages leave colours out."""
    try:
        _copy(_convert(latex, block=False), None)
    except UnreadableFormula:
        return False
    return not COLOUR.search(latex)


def _convert(latex: str, *, block: bool) -> Element:
    if len(latex) > MAX_LATEX or REFUSED.search(latex) or _has_lines(latex):
        raise UnreadableFormula
    for pattern, substitute in SUBSTITUTES:
        latex = pattern.sub(substitute, latex)
    if _count_unpaired(latex) > MAX_UNPAIRED:
        raise UnreadableFormula
    converter = LatexToMathML(macros=MACROS, fancy_error=False, allow_unreliable_rendering=True)
    try:
        mathml = converter.convert_with_local_state(latex, displaystyle=block)
        return fromstring(re.sub(r"&(?!lt;|gt;|amp;|quot;)\w+;", lambda found: unescape(found[0]), mathml))
    except (LatexError, ParseError) as error:
        raise UnreadableFormula from error


def _has_lines(latex: str) -> bool:
    """Whether the formula breaks a line outside of an environment. MathML has no line breaks."""
    left = latex
    while left != (left := ENVIRONMENT.sub(" ", left)):
        pass
    return r"\\" in left


@dataclass(slots=True)
class _Group:
    """`unpaired`: the opening brackets so far. `owed`: the arguments that the commands before still take."""

    is_option: bool = False
    unpaired: int = 0
    owed: int = 0


def _count_unpaired(latex: str) -> int:
    """Count the opening brackets that no closing one of the same group and cell follows.

    A closing bracket that is an argument closes nothing, as in `x^)` or `\\frac1)`.
    """
    groups, unpaired, before = [_Group()], 0, ""
    for match in TOKEN.finditer(latex):
        token, group = match[0], groups[-1]
        if token.isspace() or (token == "*" and group.owed):
            continue
        if token == "{" or match["left"] or (token == "[" and OPTIONAL.fullmatch(before)):
            groups.append(_Group(is_option=token == "["))
        elif len(groups) > 1 and (token == "}" or match["right"] or (token == "]" and group.is_option)):
            unpaired += groups.pop().unpaired + (group.is_option and token != "]")
            groups[-1].owed = max(0, groups[-1].owed - (not group.is_option))
        elif token in ("&", r"\\"):
            unpaired, group.unpaired = unpaired + group.unpaired, 0
        else:
            if _is_opening(match):
                group.unpaired += 1
            elif (token in CLOSING or match["side"] == "r") and not group.owed:
                group.unpaired = max(0, group.unpaired - 1)
            group.owed = max(0, group.owed - 1) + _count_arguments(token)
        before = token
    return unpaired + sum(group.unpaired + group.is_option for group in groups)


def _is_opening(match: re.Match[str]) -> bool:
    token = match[0]
    is_unicode = not token.isascii() and unicodedata.category(token[-1]) in ("Ps", "Pi", "So", "Sm")
    return token in OPENING or match["side"] == "l" or is_unicode


def _count_arguments(token: str) -> int:
    return ARGUMENTS.get(token) or (1 if ARGUMENT.fullmatch(token) else 0)


def _copy(node: Element, parent: Element | None) -> Element:
    tag = node.tag
    if not ELEMENT.fullmatch(tag):
        raise UnreadableFormula
    attributes = dict(filter(all, (_attribute(name, value) for name, value in node.attrib.items())))
    if len(node) == 2 and node[1].text == COMBINING_LOW_LINE:
        tag, attributes = "mrow", {"class": "line-above" if tag == "mover" else "line-below"}
        node.remove(node[1])
    copy = Element(tag, attributes) if parent is None else SubElement(parent, tag, attributes)
    copy.text, copy.tail = _text(node.text), _text(node.tail)
    for child in node:
        _copy(child, copy)
    return copy


def _text(text: str | None) -> str:
    # The variation selectors choose a letter's form, which the bundled font does not have.
    return (text or "").replace("\ufe00", "").replace("\ufe01", "")


def _attribute(name: str, value: str) -> tuple[str, str]:
    if name == "style":
        declarations = [re.sub(r":\s+", ":", part.strip()) for part in value.split(";") if part.strip()]
        if all(part in CLASS or part.startswith("color:") for part in declarations):
            return "class", " ".join(filter(None, (CLASS.get(part) for part in declarations)))
    elif name == "class" and value == "math-core-sans-serif-font":
        return "class", "sans"
    elif (
        WORD.fullmatch(value)
        if WORD_ATTRIBUTE.fullmatch(name)
        else LENGTH_ATTRIBUTE.fullmatch(name) and LENGTH.fullmatch(value)
    ):
        return name, value
    raise UnreadableFormula


# As in Pandoc: no space after the opening and before the closing dollar, no digit before the one and after the other.
# A formula ends before a backtick, since code spans come first.
DOLLARS = re.compile(
    r"(?<!\d)\$(?:\$(?P<double>(?:[^$\\`]|\\[^`])++)\$\$|(?P<single>(?=\S)(?:[^$\\`]|\\[^`])++)(?<!\s)\$)(?!\d)"
)

# mdurl shares its tables between threads before they are filled: IndexError. The first link fills them.
MarkdownIt("commonmark").render("<https://example.org>")


def make_parser(text: str) -> MarkdownIt:
    """Return a parser for this text. Tables with too many cells stay text."""
    parser = MarkdownIt("commonmark", {"html": False})
    if not has_great_tables(text):
        parser.enable("table")
    parser.use(dollarmath_plugin, allow_labels=False)
    parser.inline.ruler.at("math_inline", _math_inline)
    return parser


def _math_inline(state: StateInline, silent: bool) -> bool:
    found = DOLLARS.match(state.src, state.pos) if state.src[state.pos] == "$" else None
    if found is None:
        return False
    if not silent:
        token = state.push("math_inline_double" if found["double"] else "math_inline", "math", 0)
        token.content, token.markup = found["double"] or found["single"], "$$" if found["double"] else "$"
    state.pos = found.end()
    return True


def has_great_tables(text: str) -> bool:
    bars = [line.count("|") for line in lines_of(text) if "|" in line]
    return len(bars) * (max(bars, default=0) + 1) > MAX_CELLS
