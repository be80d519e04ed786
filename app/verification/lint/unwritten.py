"""What is still to be written."""

import re
from collections.abc import Iterator

from app.catalog.source import Source
from app.catalog.verification_report import Finding
from app.verification.lint.paper import Paper, at

TODO = re.compile(r"\bTODO\b")


def find(paper: Paper) -> Iterator[Finding]:
    """A starter may well say it: there the student goes on."""
    for source in _texts(paper):
        if match := TODO.search(source.text):
            line = source.text.count("\n", 0, match.start()) + 1
            yield at(source, line, "error", "says TODO", "write what is missing here")


def _texts(paper: Paper) -> Iterator[Source]:
    starter = paper.sources["starter"]
    yield from (source for source in paper.public_texts() if source is not starter)
    yield paper.text(("title",), paper.package.manifest.title)
    yield from (source for key, source in paper.sources.items() if key not in ("statement", "starter"))
    yield from (known.source for known in paper.submissions)
