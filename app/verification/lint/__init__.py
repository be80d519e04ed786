"""Lint: the rules that a package can be checked by without running it, in files by subject.

To add a rule, write a function in one of them and a line in `RULES`, and try it in `tests/verification/test_lint.py`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from app.catalog.verification_report import Finding
from app.catalog.verification_section import LintSection
from app.engine.prepare import PreparedCase
from app.judging.requirement import plural
from app.verification.lint import cases, code, hint_texts, outputs, statement
from app.verification.package_texts import PackageTexts, read_texts
from app.verification.trial import CheckResult, Trial

Rule: TypeAlias = Callable[[PackageTexts], Iterator[Finding]]

RULES: Mapping[str, Rule] = {
    "licence": statement.check_licence,
    "figures": statement.check_figures,
    "sections of the statement": statement.check_sections,
    "meaning of parameters": statement.check_meanings,
    "formulas": statement.check_formulas,
    "links and images": statement.check_links,
    "hidden cases": cases.check_hidden_cases,
    "hidden inputs in texts": cases.check_leaked_inputs,
    "hints and quiz": hint_texts.check_hints,
    "unfinished texts": statement.check_unfinished,
    "unused code and files": code.check_unused,
    "patterns of leaves": cases.check_leaf_patterns,
    "forbidden operations": code.check_forbidden_operations,
    "parameters of the code": code.check_signatures,
    "solution in texts": code.check_shown_solution,
    "declared output": outputs.check_returns,
    "NaN": outputs.check_nan,
    "numbers of the worked example": outputs.check_worked_example,
}


def lint(trial: Trial, prepared: Sequence[PreparedCase]) -> CheckResult[LintSection]:
    """`prepared`: the cases with the reference's answers, empty if the reference failed."""
    texts = read_texts(trial.package, prepared)
    findings = tuple(finding for rule in RULES.values() for finding in rule(texts))
    summary = f"{plural(len(trial.package.files), 'file')} by {len(RULES)} rules"
    return CheckResult(LintSection(rules=tuple(RULES)), summary, findings)
