"""Lint rules for the code of a package: signatures, unused code and forbidden operations."""

import ast
import re
import textwrap
from collections.abc import Iterator

from app.catalog.fault import nearest
from app.catalog.maths import make_parser
from app.catalog.parameter import IMPORTS_PALLAS
from app.catalog.source import Source, line_of, parameters_of, required_parameters_of
from app.catalog.verification_report import Finding, Severity
from app.judging.requirements.forbids import OPERATIONS, STRUCTURES, Forbids
from app.judging.verdicts import Verdict
from app.verification.package_texts import PackageTexts, finding_at

# Shorter statements, without spaces, tell no step of a solution: `return x`, `total = 0`.
LEAST_CHARACTERS = 30
REFERENCE = "the reference"
SHOW_LESS = "describe the step in words, or show the code of another task"
IMPORT = re.compile(r"^\s*(?:import|from)\s+(\w+)", re.M)


def check_signatures(texts: PackageTexts) -> Iterator[Finding]:
    manifest = texts.manifest
    shown = tuple(parameter.name for parameter in manifest.parameters)
    for key in ("starter", "reference"):
        source = texts.sources[key]
        if not manifest.answer.has_methods:
            yield from _other_functions(texts, source)
        found = parameters_of(ast.parse(source.text), manifest.entry_point)
        if found is None or found == shown or (key == "reference" and _is_longer(source, manifest.entry_point, shown)):
            continue
        # If the number of parameters differs, code that follows the page can't run.
        severity: Severity = "warning" if len(found) == len(shown) else "error"
        message = f"{manifest.entry_point} takes ({', '.join(found)}), but the page shows ({', '.join(shown)})"
        remedy = "use the same names in the same order here and under `parameters`"
        yield finding_at(source, line_of(source, manifest.entry_point), severity, message, remedy)


def _is_longer(source: Source, name: str, shown: tuple[str, ...]) -> bool:
    """Whether the function takes the shown parameters, and after them only such with a default."""
    tree = ast.parse(source.text)
    found, required = parameters_of(tree, name) or (), required_parameters_of(tree, name) or ()
    return found[: len(shown)] == shown and len(required) <= len(shown)


def _other_functions(texts: PackageTexts, source: Source) -> Iterator[Finding]:
    tree = ast.parse(source.text)
    for each in texts.manifest.answer.definitions():
        found = parameters_of(tree, each.name)
        is_reference = source is texts.sources["reference"]
        if found not in (None, each.names) and not (is_reference and _is_longer(source, each.name, each.names)):
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
    used |= {"pallas"} if any(map(IMPORTS_PALLAS.search, code)) else set()
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
    """Find the reference, an accepted solution, or a statement of the reference in the statement, starter and hints.

    The starter's own statements are given to the student, so they are no secret in other texts either.
    """
    starter = texts.sources["starter"]
    given = set(_statements(starter.text).values())
    hidden = {
        name: kept
        for name, code in _solutions(texts).items()
        if (kept := {line: code for line, code in _statements(code).items() if code not in given})
    }
    hints = (texts.text(("hints", index), hint) for index, hint in enumerate(texts.manifest.hints))
    for source in (texts.sources["statement"], starter, *hints):
        shown = next((each for name, kept in hidden.items() if (each := _whole(texts, source, name, kept))), None)
        yield from [shown] if shown else _single_statements(source, hidden.get(REFERENCE, {}))


def _solutions(texts: PackageTexts) -> dict[str, str]:
    accepted = [known for known in texts.submissions if known.verdict == Verdict.ACCEPTED]
    solutions = {REFERENCE: texts.package.reference}
    return solutions | {f"accepted/{known.name}": known.source.text for known in accepted}


def _whole(texts: PackageTexts, source: Source, name: str, kept: dict[int, str]) -> Finding | None:
    """Return the finding if the text shows all statements of a solution, or its function with other names."""
    text, places = _without_spaces(source.text)
    is_shown = len("".join(kept.values())) >= LEAST_CHARACTERS and all(code in text for code in kept.values())
    if is_shown:
        line = min(places[text.index(code)] for code in kept.values())
    else:
        entry_point = texts.manifest.entry_point
        wanted = _renamed(_solutions(texts)[name], entry_point)
        blocks = [token for token in make_parser(source.text).parse(source.text) if token.type == "fence"]
        line = next(
            (block.map[0] + 2 for block in blocks if block.map and wanted == _renamed(block.content, entry_point)), 0
        )
    message = f"the whole solution is shown here: all that {name} computes beyond the starter"
    return finding_at(source, line, "error", message, SHOW_LESS) if line else None


def _single_statements(source: Source, kept: dict[int, str]) -> Iterator[Finding]:
    text, places = _without_spaces(source.text)
    for line, code in kept.items():
        if len(code) >= LEAST_CHARACTERS and code in text:
            message = f"line {line} of the reference is shown here"
            yield finding_at(source, places[text.index(code)], "warning", message, SHOW_LESS)


def _statements(text: str) -> dict[int, str]:
    """Map lines to the simple statements that begin there, without spaces. Docstrings are left out."""
    found: dict[int, str] = {}
    for node in ast.walk(ast.parse(text)):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Return | ast.Expr) and not is_text:
            found[node.lineno], _ = _without_spaces(ast.unparse(node))
    return found


def _renamed(code: str, name: str) -> str | None:
    """Return the syntax tree of the function as text, with its names numbered. None if `code` does not define it."""
    try:
        body = ast.parse(textwrap.dedent(code)).body
    except (SyntaxError, ValueError):
        return None
    function = next((node for node in body if isinstance(node, ast.FunctionDef) and node.name == name), None)
    if function is None:
        return None
    bound = [node.arg for node in ast.walk(function) if isinstance(node, ast.arg)]
    bound += [n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    numbers = {each: f"_{number}" for number, each in enumerate(dict.fromkeys(bound))}
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            node.arg, node.annotation = numbers[node.arg], None
        elif isinstance(node, ast.Name):
            node.id = numbers.get(node.id, node.id)
    function.returns = None
    return _normalized_code(ast.unparse(function))


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
