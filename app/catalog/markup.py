"""The Markdown of statements, for those who show it and for those who look for faults in it."""

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

# Rows are filled up to the width of their head, so that a few kB could ask for millions of cells.
MAX_CELLS = 10_000


def make_parser(text: str, **options: object) -> MarkdownIt:
    """For this text. `options`: of the formulas. Where tables would have too many cells they stay text."""
    parser = MarkdownIt("commonmark", {"html": False})
    if not has_great_tables(text):
        parser.enable("table")
    return parser.use(dollarmath_plugin, allow_labels=False, allow_digits=False, double_inline=True, **options)


def has_great_tables(text: str) -> bool:
    bars = [line.count("|") for line in text.splitlines() if "|" in line]
    return len(bars) * (max(bars, default=0) + 1) > MAX_CELLS
