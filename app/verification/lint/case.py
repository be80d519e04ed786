"""Whether there is a case whose inputs students don't know."""

from collections.abc import Iterator

from app.catalog.verification_report import Finding
from app.verification.lint.paper import Paper


def find(paper: Paper) -> Iterator[Finding]:
    if all(case.visibility == "sample" for case in paper.package.manifest.cases):
        message = "no case is hidden: a solution that only knows the samples' answers would be accepted"
        remedy = "add cases without `visibility: sample`, with inputs that are drawn"
        yield paper.finding("error", ("cases",), message, remedy)
