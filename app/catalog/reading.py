"""From the text of `problem.yaml` to a manifest, or to everything that is wrong with it."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from app.catalog.case import Case
from app.catalog.checking import read_checkers
from app.catalog.consistency import Draft, list_conflicts
from app.catalog.document import Document
from app.catalog.explanation import explain
from app.catalog.fault import Fault, Inconsistent, Location
from app.catalog.manifest import Exercise, Limits, ProblemFile, Question, Tolerance
from app.catalog.parameter import Input, Parameter, Returns
from app.catalog.requiring import kind_of, read_requirements
from app.catalog.value import DRAWS, Array
from app.judging.checkers import CHECKERS
from app.judging.options import Margin
from app.judging.requirements import REQUIREMENTS

_MODELS: dict[str, type[BaseModel]] = {
    "parameters": Parameter,
    "inputs": Input,
    "returns": Returns,
    "tolerance": Tolerance,
    "limits": Limits,
    "exercise": Exercise,
    "cases": Case,
    "quiz": Question,
}
M = TypeVar("M", bound=BaseModel)


def read_problem_file(document: Document) -> tuple[ProblemFile | None, list[Fault]]:
    if document.content is None:
        return None, list(document.faults)
    try:
        return ProblemFile.model_validate(document.content), list(document.faults)
    except ValidationError as error:
        faults = [*document.faults, *explain(error, document, lambda where: _known_keys(document, where))]
        if not _is_whole(error):
            conflicts = list_conflicts(_draft(document.content))
            faults += [document.fault(c.location, c.message, c.remedy) for c in conflicts]
        return None, faults


def _is_whole(error: ValidationError) -> bool:
    """Whether every key was readable, so that the rules between them have already been asked."""
    return any(not e["loc"] and isinstance(e.get("ctx", {}).get("error"), Inconsistent) for e in error.errors())


def _draft(content: Mapping[str, Any]) -> Draft:
    parameters, cases = _items(content, "parameters"), _items(content, "cases")
    inputs = _items(content, "inputs") if "inputs" in content else None
    given = parameters if inputs is None else inputs
    return Draft(
        frameworks=_words(content, "frameworks") or None,
        track=content["track"] if isinstance(content.get("track"), str) else None,
        position=None,
        tags=_words(content, "tags"),
        prerequisites=_words(content, "prerequisites"),
        may_change=_words(content, "may_change"),
        parameters=_valid(Parameter, parameters),
        inputs=None if inputs is None else dict(_valid(Input, inputs)),
        input_names=tuple(str(p["name"]) for p in given.values() if isinstance(p, dict) and "name" in p),
        cases=_valid(Case, cases),
        tolerance_leaves=_mapping(_mapping(content.get("tolerance")).get("leaves")),
        checkers=read_checkers(content),
        requirements=read_requirements(content),
        is_complete=False,
    )


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
            continue  # its faults are reported already
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
    if where[2:3] == ("inputs",):
        value: Any = document.content
        for part in where:
            value = value[part]
        return DRAWS.get(value.get("draw"), Array)
    return _MODELS[str(where[0])]


def _within(model: type[BaseModel], where: Location) -> type[BaseModel]:
    """The model of these options, or of a mapping among them."""
    for key in where:
        annotation = model.model_fields[str(key)].annotation
        kinds = (annotation, *get_args(annotation))
        model = next(kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel))
    return model
