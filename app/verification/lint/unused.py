"""Code and files that nothing uses."""

import ast
import re
from collections.abc import Iterator

from app.catalog.verification_report import Finding
from app.judging.verdicts import Verdict
from app.verification.lint.paper import Paper, at

IMPORT = re.compile(r"^\s*(?:import|from)\s+(\w+)", re.M)


def find(paper: Paper) -> Iterator[Finding]:
    yield from _generators(paper)
    yield from _twins(paper)
    yield from _frameworks(paper)


def _generators(paper: Paper) -> Iterator[Finding]:
    source = paper.sources.get("generators")
    if source is None:
        return
    tree = ast.parse(source.text)
    named = {case.generate for case in paper.package.manifest.cases}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name not in named | used:
            message = f"no case is made by {node.name}"
            yield at(source, node.lineno, "warning", message, "remove it, or name it in a case")


def _twins(paper: Paper) -> Iterator[Finding]:
    """Solutions that differ in their words only."""
    seen = {_code(paper.package.reference): "the reference"}
    for known in paper.submissions:
        if known.verdict == Verdict.INVALID_SUBMISSION:
            continue
        code = _code(known.source.text)
        if code in seen:
            message = f"{known.verdict}/{known.name} is the same code as {seen[code]}"
            yield at(known.source, 1, "warning", message, "remove it: it proves nothing new")
        seen.setdefault(code, f"{known.verdict}/{known.name}")


def _code(text: str) -> str:
    """Without comments and docstrings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if (
            isinstance(body, list)
            and body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
        ):
            body[0] = ast.Expr(ast.Constant(...))
    return ast.dump(tree)


def _frameworks(paper: Paper) -> Iterator[Finding]:
    manifest = paper.package.manifest
    texts = [source.text for key, source in paper.sources.items() if key not in ("statement", "editorial")]
    texts += [known.source.text for known in paper.submissions]
    used = {name for text in texts for name in IMPORT.findall(text)}
    used |= {
        parameter.array_kind for parameter in (*manifest.parameters, *manifest.case_inputs) if parameter.array_kind
    }
    for framework in manifest.frameworks:
        if framework not in used and len(manifest.frameworks) > 1:
            message = f"frameworks has {framework}, and nothing imports it: every box starts slower"
            yield paper.finding("warning", ("frameworks",), message, f"remove {framework}")
