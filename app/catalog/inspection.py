"""Whether the code of a package compiles and defines what the manifest says it does."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from pydantic import ValidationError

from app.catalog.checking import read_checkers, unfit_conflicts
from app.catalog.document import Document
from app.catalog.fault import Fault
from app.catalog.parameter import Returns
from app.catalog.part import Known, Parts
from app.catalog.requiring import driver_conflicts, read_cases, read_requirements
from app.catalog.source import Source, function_fault, is_explained, keyword_fault, syntax_fault
from app.judging.verdicts import Verdict

CODE = ("starter", "reference", "driver", "generators", "property")


def inspect(parts: Parts, document: Document) -> Iterator[Fault]:
    sound: dict[str, Source] = {}
    for key, source in parts.sources.items():
        if key not in CODE:
            continue
        if fault := syntax_fault(source):
            yield fault
        else:
            sound[key] = source
    yield from _entry_point_faults(sound, document)
    yield from _driver_faults(sound, parts, document)
    yield from _generator_faults(sound, parts, document)
    yield from _checker_faults(parts, document)
    yield from _property_faults(sound, parts, document)
    for known in parts.submissions:
        yield from _known_faults(known)


def _entry_point_faults(sound: dict[str, Source], document: Document) -> Iterator[Fault]:
    content = document.content or {}
    name, parameters = content.get("entry_point"), content.get("parameters")
    if not isinstance(name, str):
        return
    # Without `inputs`, a driver calls the solution as it likes.
    is_called_so = "inputs" in content or "driver" not in sound
    arguments = len(parameters) if isinstance(parameters, list) and is_called_so else None
    for key in ("starter", "reference"):
        if key in sound and (fault := function_fault(sound[key], name, arguments)):
            yield fault


def _driver_faults(sound: dict[str, Source], parts: Parts, document: Document) -> Iterator[Fault]:
    if "driver" in sound and (fault := function_fault(sound["driver"], "run", 2)):
        yield fault
    content = document.content or {}
    if "driver" not in parts.sources and content.get("inputs") is not None:
        remedy = "write driver.py, or say under `parameters` alone what cases give"
        yield document.fault(("inputs",), "is given, but the package has no driver.py", remedy)
    if "driver" in parts.sources:
        for conflict in driver_conflicts(read_requirements(content), read_cases(content)):
            yield document.fault(conflict.location, conflict.message, conflict.remedy)


def _generator_faults(sound: dict[str, Source], parts: Parts, document: Document) -> Iterator[Fault]:
    for index, name, arguments in _named_generators(document):
        where = ("cases", index, "generate")
        if "generators" not in parts.sources:
            remedy = "write cases.py, or give its text under the key `generators:`"
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


def _checker_faults(parts: Parts, document: Document) -> Iterator[Fault]:
    content = document.content or {}
    checkers = read_checkers(content)
    if "driver" not in parts.sources:
        with suppress(ValidationError):  # its faults are known
            conflicts = unfit_conflicts(checkers, Returns.model_validate(content.get("returns")))
            yield from (document.fault(each.location, each.message, each.remedy) for each in conflicts)


def _property_faults(sound: dict[str, Source], parts: Parts, document: Document) -> Iterator[Fault]:
    checkers = read_checkers(document.content or {})
    asking = [pattern for pattern, checker in checkers.items() if checker.is_asking]
    if asking and "property" not in parts.sources:
        remedy = "write it with `def check(inputs, expected, answer)`, or give its text under the key `property:`"
        yield document.fault(("checkers", asking[0]), "needs checker.py, and the package has none", remedy)
    if "property" in sound and not asking and document.content is not None:
        yield sound["property"].fault(1, "is asked about no leaf", "name one under `checkers:`, or remove it")
    if "property" in sound and (fault := function_fault(sound["property"], "check", 3)):
        yield fault


def _known_faults(known: Known) -> Iterator[Fault]:
    # An invalid submission may well be one that does not compile.
    if known.verdict != Verdict.INVALID_SUBMISSION and (fault := syntax_fault(known.source)):
        yield fault
    if known.verdict != Verdict.ACCEPTED and not is_explained(known.source.text):
        yield known.source.fault(1, "does not say its mistake", "begin with a comment or docstring that names it")
