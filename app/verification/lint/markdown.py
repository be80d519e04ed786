"""Markdown as pages show it, as tokens with their lines."""

from collections.abc import Iterator

from markdown_it.token import Token

from app.catalog.maths import make_parser
from app.catalog.source import Source
from app.verification.lint.paper import Paper


def markdown_texts(paper: Paper) -> Iterator[Source]:
    """All texts that are shown as Markdown."""
    yield from (source for source in paper.public_texts() if not source.file.endswith(".py"))
    if "editorial" in paper.sources:
        yield paper.sources["editorial"]


def tokens_of(source: Source) -> Iterator[tuple[Token, int]]:
    """Each with the line in which its block begins."""
    for token in make_parser(source.text).parse(source.text):
        line = token.map[0] + 1 if token.map else 1
        yield token, line
        yield from ((child, line) for child in token.children or ())
