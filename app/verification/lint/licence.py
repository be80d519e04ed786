"""Whether others may use the problem."""

from collections.abc import Iterator

from app.catalog.verification_report import Finding
from app.verification.lint.paper import Paper


def find(paper: Paper) -> Iterator[Finding]:
    if paper.package.manifest.license is None:
        message = "the package has no licence: nobody may use, change or translate it"
        yield paper.finding("warning", (), message, "add `license: CC-BY-4.0`, or the one that you choose")
