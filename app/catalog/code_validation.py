"""Check the code of a package without running it: that it compiles, and defines and takes what the manifest names.

Checks that need more of the manifest than a name wait until all of its keys are valid.
"""

import ast
from collections.abc import Iterator
from typing import Any

from app.catalog.answers.text_or_file import File
from app.catalog.fault import Fault, Location
from app.catalog.manifest import Manifest
from app.catalog.part import Known, Parts
from app.catalog.rule_validation import driver_conflicts, unfit_conflicts
from app.catalog.source import (
    Source,
    defines,
    function_fault,
    is_explained,
    keyword_fault,
    line_of,
    method_fault,
    parameters_of,
    syntax_fault,
)
from app.catalog.yaml_document import Document
from app.judging.verdicts import Verdict

CODE = ("starter", "reference", "driver", "arguments", "generators", "property")


def list_code_faults(parts: Parts, document: Document, manifest: Manifest | None) -> Iterator[Fault]:
    """`manifest`: the document's, None if one of its keys is invalid."""
    sound: dict[str, Source] = {}
    for key, source in parts.sources.items():
        if key not in CODE:
            continue
        if fault := syntax_fault(source):
            yield fault
        else:
            sound[key] = source
    yield from _entry_point_faults(sound, document)
    yield from _generator_faults(sound, parts, document)
    for key, name, arguments in (("driver", "run", 2), ("property", "check", 3)):
        if key in sound and (fault := function_fault(sound[key], name, arguments)):
            yield fault
    for known in parts.submissions:
        yield from _known_faults(known)
    if manifest is not None:
        yield from _definition_faults(sound, manifest)
        yield from _driver_faults(parts, document, manifest)
        yield from _argument_faults(sound, parts, document, manifest)
        yield from _checker_faults(sound, parts, document, manifest)


def _entry_point_faults(sound: dict[str, Source], document: Document) -> Iterator[Fault]:
    content = document.content or {}
    name, parameters = content.get("entry_point"), content.get("parameters")
    if not isinstance(name, str):
        return
    arguments = len(parameters) if isinstance(parameters, list) else None
    trees = [ast.parse(sound[key].text) for key in ("starter", "reference") if key in sound]
    if len(trees) > 1 and not any(defines(tree, name) for tree in trees):
        message = f"is {name!r}, which neither the starter nor the reference defines"
        remedy = f"name the function or class that students write, or add `def {name}(…):` to both"
        yield document.fault(("entry_point",), message, remedy)
        return
    for key in ("starter", "reference"):
        if key in sound and (fault := function_fault(sound[key], name, arguments)):
            yield fault


def _generator_faults(sound: dict[str, Source], parts: Parts, document: Document) -> Iterator[Fault]:
    for index, name, arguments in _named_generators(document):
        where = ("cases", index, "generate")
        if "generators" not in parts.sources:
            remedy = "write cases.py, or put its text under the key `generators:`"
            yield document.fault(where, f"is {name!r}, but the package has no cases.py", remedy)
        elif "generators" in sound and (missing := function_fault(sound["generators"], name, None)):
            remedy = f"add `def {name}(seed: int, …)` there, or correct the name"
            yield document.fault(where, f"is {name!r}, which {missing.file} does not define", remedy)
        elif "generators" in sound and (unfit := keyword_fault(sound["generators"], name, ["seed", *arguments])):
            yield document.fault(where, f"is {name!r}; {unfit.file}:{unfit.line} {unfit.message}", unfit.remedy)


def _named_generators(document: Document) -> Iterator[tuple[int, str, list[str]]]:
    cases: Any = (document.content or {}).get("cases")
    for index, case in enumerate(cases if isinstance(cases, list) else ()):
        name = case.get("generate") if isinstance(case, dict) else None
        if isinstance(name, str):
            arguments = case.get("with")
            yield index, name, list(arguments) if isinstance(arguments, dict) else []


def _known_faults(known: Known) -> Iterator[Fault]:
    # An invalid submission may fail to compile.
    if known.verdict != Verdict.INVALID_SUBMISSION and (fault := syntax_fault(known.source)):
        yield fault
    if known.verdict != Verdict.ACCEPTED and not is_explained(known.source.text):
        yield known.source.fault(1, "does not name its mistake", "begin with a comment or docstring that names it")


def _definition_faults(sound: dict[str, Source], manifest: Manifest) -> Iterator[Fault]:
    """Check that the code defines the further functions or methods that the kind of answer names."""
    for source in (sound[key] for key in ("starter", "reference") if key in sound):
        for each in manifest.answer.definitions():
            if manifest.answer.has_methods:
                fault = method_fault(source, manifest.entry_point, each.name, each.names)
            else:
                fault = function_fault(source, each.name, len(each.names))
            if fault:
                yield fault


def _driver_faults(parts: Parts, document: Document, manifest: Manifest) -> Iterator[Fault]:
    is_plain = manifest.answer.kind == "function"
    if "driver" in parts.sources and not is_plain:
        yield document.fault(("answer",), "is given beside driver.py, which calls the function itself", "remove one")
    if "driver" in parts.sources or "arguments" in parts.sources or not is_plain:
        yield from document.located(driver_conflicts(manifest.requirements, manifest.cases))
    elif manifest.inputs is not None:
        remedy = "write arguments.py or driver.py, or remove `inputs` and list what cases give under `parameters`"
        yield document.fault(("inputs",), "is given, but the package has no arguments.py and no driver.py", remedy)


def _argument_faults(sound: dict[str, Source], parts: Parts, document: Document, manifest: Manifest) -> Iterator[Fault]:
    """Check that arguments.py makes each argument that is not an input, from inputs."""
    own = parts.sources.get("arguments")
    if own is not None and "driver" in parts.sources:
        yield own.fault(1, "stands beside driver.py, which makes the arguments", "remove one")
    elif own is not None and manifest.inputs is None:
        remedy = "list what cases give under `inputs`"
        yield own.fault(1, "makes arguments, but the manifest has no `inputs`", remedy)
    elif manifest.inputs is not None and "driver" not in parts.sources and (own is None or "arguments" in sound):
        yield from _maker_faults(own, document, manifest)


def _maker_faults(own: Source | None, document: Document, manifest: Manifest) -> Iterator[Fault]:
    inputs = [each.name for each in manifest.declared_inputs]
    path = manifest.answer.path if isinstance(manifest.answer, File) else None
    tree = ast.parse("" if own is None else own.text)
    places: list[tuple[Location, str, str]] = [
        *((("parameters", index, "name"), each.name, "") for index, each in enumerate(manifest.parameters)),
        *((("answer",), name, "has a method whose parameter ") for name in manifest.functions_of_methods),
    ]
    for where, name, what in places:
        if own is not None and defines(tree, name):
            yield from _taken_faults(own, name, parameters_of(tree, name), inputs)
        elif name not in (*inputs, path):
            message = f"{what}is {name!r}, which is no input, and arguments.py does not make it"
            remedy = f"add `def {name}(…)` there, with the names of inputs as its parameters"
            yield document.fault(where, message, remedy)


def _taken_faults(source: Source, name: str, taken: tuple[str, ...] | None, inputs: list[str]) -> Iterator[Fault]:
    """Check that the function takes inputs by their names. `taken`: its parameters, None if there are others."""
    unknown = [each for each in taken or () if each not in inputs]
    if taken is None:
        message = f"defines {name}, which does not take inputs by their names alone"
        yield source.fault(line_of(source, name), message, "give it plain parameters, named as inputs")
    elif unknown:
        message = f"defines {name}, which takes {', '.join(unknown)}"
        yield source.fault(line_of(source, name), message, f"take inputs by their names: {', '.join(inputs)}")


def _checker_faults(sound: dict[str, Source], parts: Parts, document: Document, manifest: Manifest) -> Iterator[Fault]:
    is_whole = manifest.answer.returned_whole and "driver" not in parts.sources
    if is_whole and not manifest.returns.alternatives:
        yield from document.located(unfit_conflicts(manifest.checkers, manifest.returns))
    asking = [pattern for pattern, checker in manifest.checkers.items() if checker.is_asking]
    if asking and "property" not in parts.sources:
        remedy = "write it with `def check(inputs, expected, answer)`, or put its text under the key `property:`"
        yield document.fault(("checkers", asking[0]), "needs checker.py, and the package has none", remedy)
    if "property" in sound and not asking:
        yield sound["property"].fault(1, "judges no leaf", "name it under `checkers:`, or remove it")
