"""Markdown as pages show it, as tokens with their lines."""

from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from app.catalog.source import Source
from app.worker.verification.lint.paper import Paper


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    return parser.use(dollarmath_plugin, allow_labels=False, allow_digits=False, double_inline=True)


def markdown_texts(paper: Paper) -> Iterator[Source]:
    """All texts that are shown as Markdown."""
    yield from (source for source in paper.public_texts() if not source.file.endswith(".py"))
    if "editorial" in paper.sources:
        yield paper.sources["editorial"]


def tokens_of(source: Source) -> Iterator[tuple[Token, int]]:
    """Each with the line in which its block begins."""
    for token in _parser().parse(source.text):
        line = token.map[0] + 1 if token.map else 1
        yield token, line
        yield from ((child, line) for child in token.children or ())
