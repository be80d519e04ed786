"""Read a problem package from a folder or from memory, and check it as a whole.

`PackageInvalid` lists everything that is wrong: in `problem.yaml`, between its keys, and in the code, which is checked
without running it.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from app.catalog.answers import ANSWERS, read_answer, write_driver
from app.catalog.answers.file import File
from app.catalog.answers.kind import AnswerKind
from app.catalog.case import DRAWS, Array, Case, is_case_value
from app.catalog.fault import Conflict, Fault, Inconsistent, Location, PackageInvalid, merge_alike
from app.catalog.folder import FILE_OF_KEY, MANIFEST_FILE, digest, read_folder, read_texts
from app.catalog.manifest import (
    MAX_SLUG,
    Exercise,
    Limits,
    Manifest,
    ProblemFile,
    ProblemPart,
    Question,
    Tolerance,
    is_slug,
)
from app.catalog.manifest_validation import PartialManifest, list_conflicts
from app.catalog.parameter import Input, Parameter, Returns
from app.catalog.part import Known, Parts, gather
from app.catalog.rule_validation import (
    driver_conflicts,
    kind_of,
    read_checkers,
    read_requirements,
    unfit_conflicts,
)
from app.catalog.sample_record import SampleRecord, find_sample_record
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
from app.catalog.validation_errors import explain
from app.catalog.yaml_document import Document, read_document
from app.judging.checkers import CHECKERS
from app.judging.efficiency import Efficiency
from app.judging.options import Margin
from app.judging.requirements import REQUIREMENTS
from app.judging.verdicts import Verdict

_MODELS: dict[str, type[BaseModel]] = {
    "parameters": Parameter,
    "inputs": Input,
    "returns": Returns,
    "tolerance": Tolerance,
    "limits": Limits,
    "exercise": Exercise,
    "efficiency": Efficiency,
    "parts": ProblemPart,
    "cases": Case,
    "quiz": Question,
}
M = TypeVar("M", bound=BaseModel)
STATEMENT = FILE_OF_KEY["statement"]
CODE = ("starter", "reference", "driver", "arguments", "generators", "property")
__all__ = [
    "KnownSubmission",
    "Package",
    "PackageInvalid",
    "find_readable_part",
    "load_package",
    "load_packages",
    "package_from_files",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSubmission:
    """A solution that must get `verdict`. `name` is the file's, without `.py`."""

    verdict: Verdict
    name: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """`files` are the files of the package with line ends `\\n`. `package_from_files` reads them again.

    `samples` is the record beside the folder that it was read from, if there is one.
    """

    slug: str
    manifest: Manifest
    statement: str
    starter: str
    reference: str
    driver: str | None
    arguments: str | None
    generators: str | None
    checker: str | None
    editorial: str | None
    submissions: tuple[KnownSubmission, ...]
    files: Mapping[str, bytes]
    samples: SampleRecord | None = None

    @property
    def runner(self) -> str | None:
        """The source of the driver that runs: the package's own or its kind of answer's. None for a plain function."""
        manifest = self.manifest
        own = write_driver(manifest.answer, manifest.entry_point, manifest.parameters, self.arguments)
        return self.driver or own


def load_package(folder: Path) -> Package:
    """Raises PackageInvalid."""
    slug = folder.resolve().name
    if not folder.is_dir():
        remedy = f"name the folder that holds {MANIFEST_FILE}"
        raise PackageInvalid(slug, [Fault(str(folder), 0, "", "is not a folder", remedy)])
    contents = read_folder(folder)
    package = _read(slug, contents.files, contents.faults)
    return replace(package, samples=find_sample_record(folder, digest(package.files)))


def package_from_files(slug: str, files: Mapping[str, bytes]) -> Package:
    """Raises PackageInvalid."""
    return _read(slug, files, ())


def find_readable_part(slug: str, files: Mapping[str, bytes], invalid: PackageInvalid) -> Package | None:
    """Return the package without its faulty files, to find its other faults at once. None if it needs one of them.

    A statement is replaced: no answer depends on it.
    """
    broken = {fault.file for fault in invalid.problems}
    kept = {path: content for path, content in files.items() if path not in broken}
    if STATEMENT in broken:
        kept[STATEMENT] = b"This statement can't be read."
    try:
        return package_from_files(slug, kept)
    except PackageInvalid:
        return None


def load_packages(root: Path) -> tuple[Package, ...]:
    """Load every folder of `root` with a problem.yaml, by slug. Raises PackageInvalid for the first invalid one."""
    return tuple(load_package(file.parent) for file in sorted(root.glob(f"*/{MANIFEST_FILE}")))


def _read(slug: str, files: Mapping[str, bytes], found: Iterable[Fault]) -> Package:
    texts, refused = read_texts(files)
    faults = [*found, *refused]
    if faults and not texts:
        raise PackageInvalid(slug, faults)
    unread = frozenset(fault.file for fault in faults)
    document = _document(texts, unread)
    partial = read_parts(document)
    problem, manifest_faults = read_problem_file(document, partial)
    parts = gather(texts, document, unread)
    faults += [
        *_slug_faults(slug, document),
        *manifest_faults,
        *parts.faults,
        *list_code_faults(parts, document, partial),
    ]
    if faults or problem is None:
        raise PackageInvalid(slug, merge_alike(faults))
    return _package(slug, problem, parts, texts)


def _document(texts: Mapping[str, str], unread: frozenset[str]) -> Document:
    if MANIFEST_FILE in texts:
        return read_document(MANIFEST_FILE, texts[MANIFEST_FILE], is_value=is_case_value)
    missing = Fault(MANIFEST_FILE, 0, "", "is missing", "write it; docs/problem-format.md has an example")
    return Document(MANIFEST_FILE, None, {}, () if MANIFEST_FILE in unread else (missing,))


def _slug_faults(slug: str, document: Document) -> list[Fault]:
    faults: list[Fault] = []
    if not is_slug(slug):
        message = f"{slug!r} can't be a slug"
        remedy = f"use at most {MAX_SLUG} lower-case letters, digits, _ and -"
        faults.append(Fault(slug, 0, "the name", message, remedy))
    prerequisites = (document.content or {}).get("prerequisites")
    if isinstance(prerequisites, list) and slug in prerequisites:
        where = ("prerequisites", prerequisites.index(slug))
        faults.append(document.fault(where, f"is {slug!r}, the problem itself", "remove it"))
    return faults


def _package(slug: str, problem: Manifest, parts: Parts, texts: Mapping[str, str]) -> Package:
    return Package(
        slug=slug,
        manifest=Manifest.model_construct(**{name: getattr(problem, name) for name in Manifest.model_fields}),
        statement=parts.sources["statement"].text,
        starter=parts.sources["starter"].text,
        reference=parts.sources["reference"].text,
        driver=parts.text("driver"),
        arguments=parts.text("arguments"),
        generators=parts.text("generators"),
        checker=parts.text("property"),
        editorial=parts.text("editorial"),
        submissions=tuple(
            KnownSubmission(verdict=Verdict(known.verdict), name=known.name, source=known.source.text)
            for known in parts.submissions
        ),
        files={path: text.encode() for path, text in texts.items()},
    )


def read_parts(document: Document) -> PartialManifest:
    """Validate each part of the manifest by itself, and leave out those with faults."""
    content = document.content or {}
    parameters, cases = _items(content, "parameters"), _items(content, "cases")
    inputs = _items(content, "inputs") if "inputs" in content else None
    given = parameters if inputs is None else inputs
    return PartialManifest(
        entry_point=str(content.get("entry_point", "")),
        answer=_answer(content),
        frameworks=_words(content, "frameworks") or None,
        track=content["track"] if isinstance(content.get("track"), str) else None,
        position=None,
        tags=_words(content, "tags"),
        prerequisites=_words(content, "prerequisites"),
        may_change=_words(content, "may_change"),
        parameters=_valid(Parameter, parameters),
        inputs=None if inputs is None else dict(_valid(Input, inputs)),
        input_names=tuple(str(p["name"]) for p in given.values() if isinstance(p, dict) and "name" in p),
        parts=_valid(ProblemPart, _items(content, "parts")),
        cases=_valid(Case, cases),
        returns=_valid(Returns, {0: content.get("returns")}).get(0),
        tolerance_leaves=_mapping(_mapping(content.get("tolerance")).get("leaves")),
        checkers=read_checkers(content),
        requirements=read_requirements(content),
        efficiency=_valid(Efficiency, {0: content.get("efficiency")}).get(0),
        accept_lists=content.get("accept_lists") is True,
        dtype_policy=str(content.get("dtype_policy", "kind")),
        is_complete=False,
    )


def read_problem_file(document: Document, partial: PartialManifest) -> tuple[ProblemFile | None, list[Fault]]:
    """Return the problem, or None with its faults. `partial` holds the valid parts of the document."""
    if document.content is None:
        return None, list(document.faults)
    try:
        return ProblemFile.model_validate(document.content), list(document.faults)
    except ValidationError as error:
        faults = [*document.faults, *explain(error, document, lambda where: _known_keys(document, where))]
        if not _has_valid_keys(error):
            faults += _located(document, list_conflicts(partial))
        return None, faults


def _has_valid_keys(error: ValidationError) -> bool:
    """Whether each key is valid by itself, so that the model has already applied the rules between keys."""
    return any(not e["loc"] and isinstance(e.get("ctx", {}).get("error"), Inconsistent) for e in error.errors())


def _answer(content: Mapping[str, Any]) -> AnswerKind | None:
    try:
        return read_answer(content)
    except ValidationError:
        return None


def _items(content: Mapping[str, Any], key: str) -> dict[int, Any]:
    items = content.get(key)
    return dict(enumerate(items)) if isinstance(items, list) else {}


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _words(content: Mapping[str, Any], key: str) -> tuple[str, ...]:
    return tuple(word for word in _items(content, key).values() if isinstance(word, str))


def _valid(model: type[M], items: Mapping[int, Any]) -> dict[int, M]:
    valid: dict[int, M] = {}
    for index, item in items.items():
        try:
            valid[index] = model.model_validate(item)
        except ValidationError:
            continue  # validating the whole manifest reports its faults
    return valid


def _known_keys(document: Document, where: Location) -> Iterable[str]:
    model = _model_at(document, where)
    return [field.alias or name for name, field in model.model_fields.items()]


def _model_at(document: Document, where: Location) -> type[BaseModel]:
    if not where:
        return ProblemFile
    if where[:1] == ("tolerance",) and len(where) > 1:
        return Margin
    if where[:1] == ("checkers",):
        options = _mapping((document.content or {})["checkers"])[str(where[1])]
        return _within(CHECKERS[options["checker"]], where[2:])
    if where[:1] == ("requirements",):
        kind = kind_of(_items(document.content or {}, "requirements")[int(where[1])])
        return _within(REQUIREMENTS[str(kind)], where[2:])
    if where[:1] == ("answer",):
        return _within(ANSWERS[_mapping((document.content or {})["answer"])["kind"]], where[1:])
    if where[2:3] == ("inputs",):
        value: Any = document.content
        for part in where:
            value = value[part]
        return DRAWS.get(value.get("draw"), Array)
    return _MODELS[str(where[0])]


def _within(model: type[BaseModel], where: Location) -> type[BaseModel]:
    """Return the model of these options, or of a mapping among them."""
    for key in where:
        if isinstance(key, int):
            continue
        annotation = model.model_fields[str(key)].annotation
        kinds = (annotation, *get_args(annotation))
        model = next(kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel))
    return model


def list_code_faults(parts: Parts, document: Document, partial: PartialManifest) -> Iterator[Fault]:
    """Yield where the code does not compile, or does not define what the manifest names."""
    sound: dict[str, Source] = {}
    for key, source in parts.sources.items():
        if key not in CODE:
            continue
        if fault := syntax_fault(source):
            yield fault
        else:
            sound[key] = source
    yield from _entry_point_faults(sound, document, partial)
    yield from _driver_faults(sound, parts, document, partial)
    yield from _argument_faults(sound, parts, document, partial)
    yield from _generator_faults(sound, parts, document)
    is_whole = partial.answer is not None and partial.answer.returned_whole
    if "driver" not in parts.sources and is_whole and partial.returns is not None and not partial.returns.alternatives:
        yield from _located(document, unfit_conflicts(partial.checkers, partial.returns))
    yield from _custom_checker_faults(sound, parts, document, partial)
    for known in parts.submissions:
        yield from _known_faults(known)


def _entry_point_faults(sound: dict[str, Source], document: Document, partial: PartialManifest) -> Iterator[Fault]:
    content = document.content or {}
    name, parameters = content.get("entry_point"), content.get("parameters")
    if not isinstance(name, str):
        return
    # Without `inputs`, only the driver knows how it calls the solution.
    is_called_so = "inputs" in content or "driver" not in sound
    arguments = len(parameters) if isinstance(parameters, list) and is_called_so else None
    trees = [ast.parse(sound[key].text) for key in ("starter", "reference") if key in sound]
    if len(trees) > 1 and not any(defines(tree, name) for tree in trees):
        message = f"is {name!r}, which neither the starter nor the reference defines"
        remedy = f"name the function or class that students write, or add `def {name}(…):` to both"
        yield document.fault(("entry_point",), message, remedy)
        return
    for key in ("starter", "reference"):
        if key in sound and (fault := function_fault(sound[key], name, arguments)):
            yield fault
        elif key in sound and partial.answer is not None:
            yield from _definition_faults(sound[key], name, partial.answer)


def _definition_faults(source: Source, entry_point: str, answer: AnswerKind) -> Iterator[Fault]:
    for each in answer.definitions():
        if answer.has_methods:
            fault = method_fault(source, entry_point, each.name, each.names)
        else:
            fault = function_fault(source, each.name, len(each.names))
        if fault:
            yield fault


def _driver_faults(
    sound: dict[str, Source], parts: Parts, document: Document, partial: PartialManifest
) -> Iterator[Fault]:
    if "driver" in sound and (fault := function_fault(sound["driver"], "run", 2)):
        yield fault
    is_plain = partial.answer is not None and partial.answer.kind == "function"
    if "driver" in parts.sources and not is_plain:
        yield document.fault(("answer",), "is given beside driver.py, which calls the function itself", "remove one")
    if "driver" in parts.sources or "arguments" in parts.sources or not is_plain:
        yield from _located(document, driver_conflicts(partial.requirements, partial.cases))
    has_maker = "driver" in parts.sources or "arguments" in parts.sources or not is_plain
    if not has_maker and (document.content or {}).get("inputs") is not None:
        remedy = "write arguments.py or driver.py, or remove `inputs` and list what cases give under `parameters`"
        yield document.fault(("inputs",), "is given, but the package has no arguments.py and no driver.py", remedy)


def _argument_faults(
    sound: dict[str, Source], parts: Parts, document: Document, partial: PartialManifest
) -> Iterator[Fault]:
    """Check that arguments.py makes each argument that is not an input, from inputs."""
    own = parts.sources.get("arguments")
    if own is not None and "driver" in parts.sources:
        yield own.fault(1, "stands beside driver.py, which makes the arguments", "remove one")
    elif own is not None and partial.inputs is None and document.content is not None:
        remedy = "list what cases give under `inputs`"
        yield own.fault(1, "makes arguments, but the manifest has no `inputs`", remedy)
    elif partial.inputs is not None and "driver" not in parts.sources and (own is None or "arguments" in sound):
        path = partial.answer.path if isinstance(partial.answer, File) else None
        tree = ast.parse("" if own is None else own.text)
        places: list[tuple[Location, str]] = [
            *((("parameters", index, "name"), each.name) for index, each in partial.parameters.items()),
            *((("answer",), name) for name in partial.functions_of_methods),
        ]
        for where, name in places:
            if own is not None and defines(tree, name):
                yield from _maker_faults(own, name, parameters_of(tree, name), partial.input_names)
            elif name not in (*partial.input_names, path):
                message = f"is {name!r}, which is no input, and arguments.py does not make it"
                remedy = f"add `def {name}(…)` there, with the names of inputs as its parameters"
                yield document.fault(
                    where, message if where[0] == "parameters" else f"has a method whose parameter {message}", remedy
                )


def _maker_faults(source: Source, name: str, taken: tuple[str, ...] | None, inputs: tuple[str, ...]) -> Iterator[Fault]:
    """Check that the function takes inputs by their names. `taken`: its parameters, None if there are others."""
    unknown = [each for each in taken or () if each not in inputs]
    if taken is None:
        message = f"defines {name}, which does not take inputs by their names alone"
        yield source.fault(line_of(source, name), message, "give it plain parameters, named as inputs")
    elif unknown:
        message = f"defines {name}, which takes {', '.join(unknown)}"
        yield source.fault(line_of(source, name), message, f"take inputs by their names: {', '.join(inputs)}")


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


def _custom_checker_faults(
    sound: dict[str, Source], parts: Parts, document: Document, partial: PartialManifest
) -> Iterator[Fault]:
    asking = [pattern for pattern, checker in partial.checkers.items() if checker.is_asking]
    if asking and "property" not in parts.sources:
        remedy = "write it with `def check(inputs, expected, answer)`, or put its text under the key `property:`"
        yield document.fault(("checkers", asking[0]), "needs checker.py, and the package has none", remedy)
    if "property" in sound and not asking and document.content is not None:
        yield sound["property"].fault(1, "judges no leaf", "name it under `checkers:`, or remove it")
    if "property" in sound and (fault := function_fault(sound["property"], "check", 3)):
        yield fault


def _located(document: Document, conflicts: Iterable[Conflict]) -> Iterator[Fault]:
    return (document.fault(conflict.location, conflict.message, conflict.remedy) for conflict in conflicts)


def _known_faults(known: Known) -> Iterator[Fault]:
    # An invalid submission may fail to compile.
    if known.verdict != Verdict.INVALID_SUBMISSION and (fault := syntax_fault(known.source)):
        yield fault
    if known.verdict != Verdict.ACCEPTED and not is_explained(known.source.text):
        yield known.source.fault(1, "does not name its mistake", "begin with a comment or docstring that names it")
