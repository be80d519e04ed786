"""The rules between the keys of a manifest. They also judge what is readable of a manifest with faults."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from app.catalog.case import MAX_CASES, Case
from app.catalog.checking import checker_conflicts
from app.catalog.fault import Conflict, Location
from app.catalog.fit import byte_count
from app.catalog.given import array_conflicts, listed_conflicts, plain_conflicts, size_of
from app.catalog.parameter import FRAMEWORKS_OF, Parameter
from app.catalog.requiring import case_conflicts, framework_conflicts, requirement_conflicts, tracing_conflicts
from app.catalog.suggestion import nearest
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
    parameter_names: tuple[str, ...]
    parameters: Mapping[int, Parameter]
    cases: Mapping[int, Case]
    tolerance_leaves: Mapping[str, Any]
    checkers: Mapping[str, Checker]
    requirements: Mapping[int, Requirement]
    is_complete: bool


def list_conflicts(draft: Draft) -> list[Conflict]:
    return [
        *_repeated("parameters", "name", {i: p.name for i, p in draft.parameters.items()}),
        *_repeated("cases", "name", {i: case.name for i, case in draft.cases.items()}),
        *_repetition_conflicts(draft),
        *_repeated("tags", None, dict(enumerate(draft.tags))),
        *_repeated("prerequisites", None, dict(enumerate(draft.prerequisites))),
        *_repeated("may_change", None, dict(enumerate(draft.may_change))),
        *_repeated("frameworks", None, dict(enumerate(draft.frameworks or ()))),
        *_framework_conflicts(draft),
        *_track_conflicts(draft),
        *_change_conflicts(draft),
        *_sample_conflicts(draft),
        *_order_conflicts(draft),
        *checker_conflicts(draft.checkers, draft.tolerance_leaves),
        *requirement_conflicts(draft.requirements, draft.parameters),
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


def _framework_conflicts(draft: Draft) -> Iterator[Conflict]:
    for index, parameter in draft.parameters.items():
        kind = parameter.array_kind
        if kind is None or draft.frameworks is None or set(FRAMEWORKS_OF[kind]) & set(draft.frameworks):
            continue
        key = "type" if parameter.is_array else "leaves"
        message = f"is {kind}, but frameworks has only {', '.join(draft.frameworks)}"
        yield Conflict(("parameters", index, key), message, f"add {kind} to frameworks")


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
        if name not in draft.parameter_names:
            message = f"is {name!r}, which is no parameter{nearest(name, draft.parameter_names)}"
            remedy = f"the parameters are {', '.join(draft.parameter_names)}"
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
        found = input_conflicts(draft.parameter_names, draft.parameters.values(), case.inputs)
        yield from _within(("cases", index, "inputs"), found)


def input_conflicts(
    names: tuple[str, ...], parameters: Iterable[Parameter], inputs: Mapping[str, Any]
) -> Iterator[Conflict]:
    """Between the inputs of one case and the parameters, whose names are `names` also where one can't be read."""
    yield from _name_conflicts(names, inputs)
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


def _name_conflicts(names: tuple[str, ...], inputs: Mapping[str, Any]) -> Iterator[Conflict]:
    for name in names:
        if name not in inputs:
            yield Conflict((name,), "is missing: every case gives every parameter", f"add `{name}: …` to these inputs")
    for name in inputs:
        if name not in names:
            yield Conflict((name,), f"is no parameter{nearest(name, names)}", f"the parameters are {', '.join(names)}")


def _value_conflicts(parameter: Parameter, value: Any) -> Iterator[Conflict]:
    if value is None:
        if not parameter.nullable:
            yield Conflict((), "is null", "give a value, or add `nullable: true` to the parameter")
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
