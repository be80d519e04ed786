"""Links that leave the package, and what a page does not show."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from app.catalog.source import Source
from app.catalog.verification_report import Finding
from app.verification.lint.markdown import markdown_texts, tokens_of
from app.verification.lint.paper import Paper, at

HTML = re.compile(r"</?(?:a|b|br|div|em|i|iframe|img|p|pre|script|span|strong|style|sub|sup|table)\b[^>]*>", re.I)


def find(paper: Paper) -> Iterator[Finding]:
    for source in markdown_texts(paper):
        for token, line in tokens_of(source):
            if token.type == "link_open":
                yield _link(source, line, str(token.attrGet("href")))
            elif token.type == "image":
                message = f"the image {token.attrGet('src')} is not shown: pages load nothing"
                yield at(source, line, "error", message, "say it in words, a table or a fence")
            elif token.type == "text" and (tag := HTML.search(token.content)):
                yield at(source, line, "warning", f"{tag[0]} is shown as it is written", "use Markdown: HTML is off")


def _link(source: Source, line: int, address: str) -> Finding:
    if urlsplit(address).scheme.lower() in ("http", "https"):
        remedy = "say here what is needed from there: pages change"
        return at(source, line, "warning", f"the link {address} leaves the package", remedy)
    return at(source, line, "error", f"the link {address} leads nowhere from a problem's page", "remove it")
