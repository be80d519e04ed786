"""What can be said of a package by reading it. One rule a file: a new one is a file and a line here."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from app.catalog.verification_report import Finding
from app.catalog.verification_section import LintSection
from app.verification.lint import (
    case,
    hint,
    leak,
    licence,
    link,
    maths,
    operation,
    pattern,
    signature,
    statement,
    unused,
    unwritten,
)
from app.verification.lint.paper import Paper, read_paper
from app.verification.trial import Checked, Trial
from app.worker.prepare import PreparedCase

Rule: TypeAlias = Callable[[Paper], Iterator[Finding]]

RULES: Mapping[str, Rule] = {
    "licence": licence.find,
    "sections of the statement": statement.find,
    "formulas": maths.find,
    "links and images": link.find,
    "hidden cases": case.find,
    "hidden inputs in texts": leak.find,
    "hints and quiz": hint.find,
    "what is to be written": unwritten.find,
    "unused code and files": unused.find,
    "patterns of leaves": pattern.find,
    "forbidden operations": operation.find,
    "parameters of the code": signature.find,
}


def lint(trial: Trial, cases: Sequence[PreparedCase]) -> Checked[LintSection]:
    """`cases`: with the reference's answers, if there are any."""
    paper = read_paper(trial.package, cases)
    findings = tuple(finding for rule in RULES.values() for finding in rule(paper))
    count = len(trial.package.files)
    summary = f"{count} file{'s' if count != 1 else ''} by {len(RULES)} rules"
    return Checked(LintSection(rules=tuple(RULES)), summary, findings)
