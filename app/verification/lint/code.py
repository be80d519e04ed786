"""Lint rules for the code of a package: signatures, unused code and forbidden operations."""

import ast
import re
from collections.abc import Iterator

from app.catalog.fault import nearest
from app.catalog.source import Source, line_of, parameters_of
from app.catalog.verification_report import Finding, Severity
from app.judging.requirements.forbids import OPERATIONS, STRUCTURES, Forbids
from app.judging.verdicts import Verdict
from app.verification.package_texts import PackageTexts, finding_at

# Shorter statements of the reference, without spaces, tell no step of a solution: `return x`, `total = 0`.
LEAST_CHARACTERS = 30
IMPORT = re.compile(r"^\s*(?:import|from)\s+(\w+)", re.M)


def check_signatures(texts: PackageTexts) -> Iterator[Finding]:
    manifest = texts.manifest
    shown = tuple(parameter.name for parameter in manifest.parameters)
    for key in ("starter", "reference"):
        source = texts.sources[key]
        if not manifest.answer.has_methods:
            yield from _other_functions(texts, source)
        found = parameters_of(ast.parse(source.text), manifest.entry_point)
        if found is None or found == shown:
            continue
        # If the number of parameters differs, code that follows the page can't run.
        severity: Severity = "warning" if len(found) == len(shown) else "error"
        message = f"{manifest.entry_point} takes ({', '.join(found)}), but the page shows ({', '.join(shown)})"
        is_mixed = texts.package.driver is not None and manifest.inputs is None
        remedy = (
            "list what the function takes under `parameters`, and what cases give to driver.py under `inputs`"
            if is_mixed
            else "use the same names in the same order here and under `parameters`"
        )
        yield finding_at(source, line_of(source, manifest.entry_point), severity, message, remedy)


def _other_functions(texts: PackageTexts, source: Source) -> Iterator[Finding]:
    tree = ast.parse(source.text)
    for each in texts.manifest.answer.definitions():
        found = parameters_of(tree, each.name)
        if found not in (None, each.names):
            message = f"{each.name} takes ({', '.join(found or ())}), but the page shows ({', '.join(each.names)})"
            remedy = "use the same names in the same order here and under `answer.functions`"
            yield finding_at(source, line_of(source, each.name), "warning", message, remedy)


def check_unused(texts: PackageTexts) -> Iterator[Finding]:
    yield from _unused_generators(texts)
    yield from _duplicate_submissions(texts)
    yield from _unused_frameworks(texts)


def _unused_generators(texts: PackageTexts) -> Iterator[Finding]:
    source = texts.sources.get("generators")
    if source is None:
        return
    tree = ast.parse(source.text)
    named = {case.generate for case in texts.manifest.cases}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name not in named | used:
            message = f"no case uses the generator {node.name}"
            yield finding_at(source, node.lineno, "warning", message, "remove it, or use it as `generate` of a case")


def _duplicate_submissions(texts: PackageTexts) -> Iterator[Finding]:
    """Yield a finding for each submission whose code repeats another one, apart from comments and docstrings."""
    seen = {_normalized_code(texts.package.reference): "the reference"}
    for known in texts.submissions:
        if known.verdict == Verdict.INVALID_SUBMISSION:
            continue
        code = _normalized_code(known.source.text)
        if code in seen:
            message = f"{known.verdict}/{known.name} has the same code as {seen[code]}"
            yield finding_at(known.source, 1, "warning", message, "remove it: it tests nothing new")
        seen.setdefault(code, f"{known.verdict}/{known.name}")


def _normalized_code(text: str) -> str:
    """Return the syntax tree as text, without comments and docstrings."""
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


def _unused_frameworks(texts: PackageTexts) -> Iterator[Finding]:
    manifest = texts.manifest
    code = [source.text for key, source in texts.sources.items() if key not in ("statement", "editorial", "notes")]
    code += [known.source.text for known in texts.submissions]
    used = {name for text in code for name in IMPORT.findall(text)}
    used |= {
        parameter.array_kind for parameter in (*manifest.parameters, *manifest.case_inputs) if parameter.array_kind
    }
    for framework in manifest.frameworks:
        if framework not in used and len(manifest.frameworks) > 1:
            message = f"frameworks contains {framework}, but nothing imports it: every sandbox starts slower"
            yield texts.finding("warning", ("frameworks",), message, f"remove {framework}")


def check_forbidden_operations(texts: PackageTexts) -> Iterator[Finding]:
    for index, requirement in enumerate(texts.manifest.requirements):
        for place, word in enumerate(requirement.forbids if isinstance(requirement, Forbids) else ()):
            if word not in OPERATIONS and word not in STRUCTURES:
                known = nearest(word, (*STRUCTURES, *OPERATIONS))
                message = f"requirements[{index}].forbids[{place}] is {word!r}, which is not a known operation{known}"
                remedy = f"use {', '.join(STRUCTURES)}, or a StableHLO operation such as dot_general or sort"
                yield texts.finding("error", ("requirements", index, "forbids", place), message, remedy)


def check_shown_solution(texts: PackageTexts) -> Iterator[Finding]:
    """Find statements of the reference in the statement and the hints, and a starter that holds all of them.

    The starter's own statements are given to the student, so they are no secret in other texts either.
    """
    reference, starter = (_long_statements(texts.sources[key].text) for key in ("reference", "starter"))
    kept = {line: code for line, code in reference.items() if code not in starter.values()}
    hints = (texts.text(("hints", index), hint) for index, hint in enumerate(texts.manifest.hints))
    remedy = "describe the step in words, or show the code of another task"
    for source in (texts.sources["statement"], texts.sources["starter"], *hints):
        text, places = _without_spaces(source.text)
        for line, code in kept.items():
            if code in text:
                message = f"line {line} of the reference is shown here: {code}"
                yield finding_at(source, places[text.index(code)], "warning", message, remedy)
    if reference and not kept:
        message = f"the starter has every longer statement of the reference ({len(reference)})"
        yield finding_at(texts.sources["starter"], 1, "warning", message, "leave out what the student should write")


def _long_statements(text: str) -> dict[int, str]:
    """Map lines to the simple statements that begin there, without spaces, if they are long enough to tell a step."""
    found: dict[int, str] = {}
    for node in ast.walk(ast.parse(text)):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Return | ast.Expr) and not is_text:
            code, _ = _without_spaces(ast.unparse(node))
            if len(code) >= LEAST_CHARACTERS:
                found[node.lineno] = code
    return found


def _without_spaces(text: str) -> tuple[str, list[int]]:
    """Return the text in one writing, without spaces and quotes of one kind, and the line of each character."""
    kept: list[str] = []
    places: list[int] = []
    for number, line in enumerate(text.split("\n"), start=1):
        for character in line.replace('"', "'"):
            if not character.isspace() and character != "`":
                kept.append(character)
                places.append(number)
    return "".join(kept), places
