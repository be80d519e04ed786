"""The Markdown of statements, for those who show it and for those who look for faults in it."""

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.dollarmath.index import math_inline_dollar

# Rows are filled up to the width of their head, so that a few kB could ask for millions of cells.
MAX_CELLS = 10_000

_dollar_rule = math_inline_dollar(allow_digits=False, allow_double=True)


def make_parser(text: str, **options: object) -> MarkdownIt:
    """For this text. `options`: of the formulas. Where tables would have too many cells they stay text."""
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
    bars = [line.count("|") for line in text.splitlines() if "|" in line]
    return len(bars) * (max(bars, default=0) + 1) > MAX_CELLS
