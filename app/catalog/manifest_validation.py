"""The rules between the keys of a manifest. They also judge what is readable of a manifest with faults."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from app.catalog.case import MAX_CASES, Case
from app.catalog.case_validation import array_conflicts, byte_count, listed_conflicts, plain_conflicts, size_of
from app.catalog.fault import Conflict, Location, nearest
from app.catalog.parameter import FRAMEWORKS_OF, Parameter
from app.catalog.rule_validation import (
    case_conflicts,
    checker_conflicts,
    framework_conflicts,
    requirement_conflicts,
    tracing_conflicts,
)
from app.judging.checker import Checker
from app.judging.requirement import Requirement

MAX_INPUT_BYTES = 48 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A manifest, or the parts of one that could be read, by their index in the document."""

    frameworks: tuple[str, ...] | None
    track: str | None
    position: int | None
    tags: tuple[str, ...]
    prerequisites: tuple[str, ...]
    may_change: tuple[str, ...]
    parameters: Mapping[int, Parameter]
    inputs: Mapping[int, Parameter] | None
    input_names: tuple[str, ...]
    cases: Mapping[int, Case]
    tolerance_leaves: Mapping[str, Any]
    checkers: Mapping[str, Checker]
    requirements: Mapping[int, Requirement]
    is_complete: bool

    @property
    def inputs_key(self) -> str:
        """The key that says what cases give."""
        return "parameters" if self.inputs is None else "inputs"

    @property
    def case_inputs(self) -> Mapping[int, Parameter]:
        return self.parameters if self.inputs is None else self.inputs

    @property
    def noun(self) -> str:
        return "parameter" if self.inputs is None else "input"


def list_conflicts(draft: Draft) -> list[Conflict]:
    return [
        *_repeated("parameters", "name", {i: p.name for i, p in draft.parameters.items()}),
        *_repeated("inputs", "name", {i: p.name for i, p in (draft.inputs or {}).items()}),
        *_parameter_conflicts(draft),
        *_repeated("cases", "name", {i: case.name for i, case in draft.cases.items()}),
        *_repetition_conflicts(draft),
        *_repeated("tags", None, dict(enumerate(draft.tags))),
        *_repeated("prerequisites", None, dict(enumerate(draft.prerequisites))),
        *_repeated("may_change", None, dict(enumerate(draft.may_change))),
        *_repeated("frameworks", None, dict(enumerate(draft.frameworks or ()))),
        *_framework_conflicts(draft, "parameters", draft.parameters),
        *_framework_conflicts(draft, "inputs", draft.inputs or {}),
        *_track_conflicts(draft),
        *_change_conflicts(draft),
        *_sample_conflicts(draft),
        *_order_conflicts(draft),
        *checker_conflicts(draft.checkers, draft.tolerance_leaves),
        *requirement_conflicts(draft.requirements, draft.case_inputs),
        *tracing_conflicts(draft.requirements, draft.cases, draft.parameters),
        *(framework_conflicts(draft.requirements, draft.cases, draft.frameworks) if draft.frameworks else ()),
        *(conflict for index, case in draft.cases.items() for conflict in _case_conflicts(draft, index, case)),
    ]


def _repeated(key: str, field: str | None, words: Mapping[int, str]) -> Iterator[Conflict]:
    seen: dict[str, int] = {}
    for index, word in words.items():
        if word in seen:
            location: Location = (key, index) if field is None else (key, index, field)
            yield Conflict(
                location, f"is {word!r}, as {key}[{seen[word]}] is", "each must differ: rename or remove one"
            )
        seen.setdefault(word, index)


def _repetition_conflicts(draft: Draft) -> Iterator[Conflict]:
    taken = {case.name: index for index, case in draft.cases.items() if case.repeat is None}
    total = 0
    for index, case in draft.cases.items():
        total += len(case.names)
        for name in case.names if case.repeat else ():
            if name in taken:
                message = f"makes a case {name}, as cases[{taken[name]}] is called"
                yield Conflict(("cases", index, "repeat"), message, "rename one of them")
    if total > MAX_CASES:
        yield Conflict(("cases",), f"makes {total} cases in all", f"at most {MAX_CASES} are possible: repeat less")


def _parameter_conflicts(draft: Draft) -> Iterator[Conflict]:
    """Where no driver makes the arguments, cases give them."""
    if draft.inputs is not None:
        return
    if draft.is_complete and not draft.parameters:
        yield Conflict(("parameters",), "is empty", "must have at least 1, or say under `inputs` what cases give")
    for index, parameter in draft.parameters.items():
        if parameter.is_object:
            message = f"is {parameter.type}, which no case can give"
            remedy = "say under `inputs` what cases give, and let driver.py make it from that"
            yield Conflict(("parameters", index, "type"), message, remedy)


def _framework_conflicts(draft: Draft, key: str, parameters: Mapping[int, Parameter]) -> Iterator[Conflict]:
    for index, parameter in parameters.items():
        kind = parameter.array_kind
        if kind is None or draft.frameworks is None or set(FRAMEWORKS_OF[kind]) & set(draft.frameworks):
            continue
        place = "type" if parameter.is_array else "leaves"
        message = f"is {kind}, but frameworks has only {', '.join(draft.frameworks)}"
        yield Conflict((key, index, place), message, f"add {kind} to frameworks")


def _track_conflicts(draft: Draft) -> Iterator[Conflict]:
    if draft.track is None and draft.position is not None:
        message = f"is {draft.position}, but the problem has no track"
        yield Conflict(("position",), message, "add `track:` or remove position")
    if draft.is_complete and draft.track is not None and draft.position is None:
        yield Conflict(
            ("position",), "is missing in a problem with a track", "add `position: 1`, the place in the track"
        )


def _change_conflicts(draft: Draft) -> Iterator[Conflict]:
    for index, name in enumerate(draft.may_change):
        if name not in draft.input_names:
            message = f"is {name!r}, which is no {draft.noun}{nearest(name, draft.input_names)}"
            remedy = f"the {draft.noun}s are {', '.join(draft.input_names)}"
            yield Conflict(("may_change", index), message, remedy)


def _order_conflicts(draft: Draft) -> Iterator[Conflict]:
    """One process answers the cases in turn, and a sample shows what it printed: it must know no hidden case yet."""
    has_hidden = False
    for index, case in sorted(draft.cases.items()):
        if case.visibility == "sample" and has_hidden:
            yield Conflict(("cases", index), "is a sample after a hidden case", "move the samples to the front")
        has_hidden = has_hidden or case.visibility == "hidden"


def _sample_conflicts(draft: Draft) -> Iterator[Conflict]:
    if draft.is_complete and not any(case.visibility == "sample" for case in draft.cases.values()):
        remedy = "add `visibility: sample` to a small case"
        yield Conflict(("cases",), f"has {len(draft.cases)} hidden and no sample case", remedy)


def _case_conflicts(draft: Draft, index: int, case: Case) -> Iterator[Conflict]:
    yield from case_conflicts(index, case)
    if case.inputs is not None:
        found = input_conflicts(draft.input_names, draft.case_inputs.values(), case.inputs, draft.noun)
        yield from _within(("cases", index, "inputs"), found)


def input_conflicts(
    names: tuple[str, ...], parameters: Iterable[Parameter], inputs: Mapping[str, Any], noun: str = Parameter.noun
) -> Iterator[Conflict]:
    """Between the inputs of one case and what is declared, by `names` also where one can't be read.

    `noun`: what the problem calls them.
    """
    yield from _name_conflicts(names, inputs, noun)
    given = [(p, inputs[p.name]) for p in parameters if p.name in inputs]
    fits = True
    for parameter, value in given:
        for conflict in _value_conflicts(parameter, value):
            fits = False
            yield replace(conflict, location=(parameter.name, *conflict.location))
    if fits:
        yield from _size_conflicts(given)


def _within(where: Location, conflicts: Iterable[Conflict]) -> Iterator[Conflict]:
    return (replace(conflict, location=(*where, *conflict.location)) for conflict in conflicts)


def _name_conflicts(names: tuple[str, ...], inputs: Mapping[str, Any], noun: str) -> Iterator[Conflict]:
    for name in names:
        if name not in inputs:
            yield Conflict((name,), f"is missing: every case gives every {noun}", f"add `{name}: …` to these inputs")
    for name in inputs:
        if name not in names:
            yield Conflict((name,), f"is no {noun}{nearest(name, names)}", f"the {noun}s are {', '.join(names)}")


def _value_conflicts(parameter: Parameter, value: Any) -> Iterator[Conflict]:
    if parameter.is_object:
        return  # its type is a fault already
    if value is None:
        if not parameter.nullable:
            yield Conflict((), "is null", f"give a value, or add `nullable: true` to the {parameter.noun}")
    elif parameter.is_array:
        yield from array_conflicts(parameter, value)
    elif parameter.type in ("list", "dict"):
        yield from listed_conflicts(parameter, value)
    else:
        yield from plain_conflicts(parameter, value)


def _size_conflicts(given: Iterable[tuple[Parameter, Any]]) -> Iterator[Conflict]:
    """Symbolic sizes agree across the case, and all of it fits in one message to a box."""
    total, sizes = 0, dict[str, tuple[str, int]]()
    for parameter, value in given:
        total += byte_count(value, parameter)
        if not parameter.is_array or value is None:
            continue
        for symbol, size in zip(parameter.shape or (), size_of(parameter, value), strict=True):
            name, agreed = sizes.setdefault(str(symbol), (parameter.name, size))
            if size != agreed and isinstance(symbol, str):
                message = f"has {symbol} = {size}, but {name} has {symbol} = {agreed}"
                yield Conflict((parameter.name,), message, "make both sizes equal, or give them two names in shape")
    if total > MAX_INPUT_BYTES:
        yield Conflict((), f"hold {total} bytes, but a case may have {MAX_INPUT_BYTES}", "draw smaller arrays")
