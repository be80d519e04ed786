"""The rules between the keys of a manifest, also for the valid parts of a manifest with faults."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from app.catalog.answers.class_calls import CallList
from app.catalog.answers.functions import FunctionName, inputs_of
from app.catalog.answers.kind import AnswerKind, Declared
from app.catalog.case import MAX_CASES, Case
from app.catalog.case_validation import array_conflicts, byte_count, listed_conflicts, plain_conflicts, size_of
from app.catalog.fault import Conflict, Location, nearest
from app.catalog.parameter import FRAMEWORKS_OF, FUNCTION, Parameter, Returns
from app.catalog.rule_validation import (
    case_conflicts,
    checker_conflicts,
    framework_conflicts,
    requirement_conflicts,
    tracing_conflicts,
)
from app.judging.checker import Checker
from app.judging.efficiency import Efficiency
from app.judging.requirement import Requirement

if TYPE_CHECKING:
    from app.catalog.manifest import ProblemPart

MAX_INPUT_BYTES = 48 * 2**20
MAX_POINTS = 100
# A solution is timed on an input that its process has not had before.
LEAST_OF_A_SIZE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialManifest:
    """The valid parts of a manifest, by their index in the document. `is_complete`: all parts are valid.

    `answer` is None if the key has a fault, and then the inputs of cases are unknown. `input_names`: of the declared
    inputs, also of those with faults.
    """

    entry_point: str
    answer: AnswerKind | None
    frameworks: tuple[str, ...] | None
    track: str | None
    position: int | None
    tags: tuple[str, ...]
    prerequisites: tuple[str, ...]
    may_change: tuple[str, ...]
    parameters: Mapping[int, Parameter]
    inputs: Mapping[int, Parameter] | None
    input_names: tuple[str, ...]
    parts: Mapping[int, "ProblemPart"]
    cases: Mapping[int, Case]
    returns: Returns | None
    tolerance_leaves: Mapping[str, Any]
    checkers: Mapping[str, Checker]
    requirements: Mapping[int, Requirement]
    efficiency: Efficiency | None
    accept_lists: bool
    dtype_policy: str
    is_complete: bool

    @property
    def case_inputs(self) -> Mapping[int, Parameter]:
        return self.parameters if self.inputs is None else self.inputs

    def case_names(self, given: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names of what a case with these inputs gives, also of inputs with faults."""
        sound = {each.name for each in self.case_inputs.values()}
        expected = [each.name for each in self.expected(given)]
        declared = [name for name in self.input_names if name in expected or name not in sound]
        return (*declared, *(name for name in expected if name not in declared))

    def expected(self, given: Mapping[str, Any]) -> tuple[Parameter, ...]:
        declared = tuple(self.case_inputs.values())
        return inputs_of(self.answer.case_inputs(self.entry_point, declared), given) if self.answer else declared

    @property
    def functions(self) -> tuple[str, ...]:
        """Return the names of the solution's arguments that are functions."""
        own = tuple(each.name for each in self.parameters.values() if each.type == FUNCTION)
        return (*own, *self.functions_of_methods)

    @property
    def functions_of_methods(self) -> tuple[str, ...]:
        """Return the names of the parameters of methods that are functions."""
        definitions = self.answer.definitions() if self.answer and self.answer.has_methods else ()
        return tuple(each.name for one in definitions for each in one.parameters if each.type == FUNCTION)

    @property
    def noun(self) -> str:
        return "parameter" if self.inputs is None else "input"


def list_conflicts(manifest: PartialManifest) -> list[Conflict]:
    return [
        *_repeated("parameters", "name", {i: p.name for i, p in manifest.parameters.items()}),
        *_repeated("inputs", "name", {i: p.name for i, p in (manifest.inputs or {}).items()}),
        *_parameter_conflicts(manifest),
        *_repeated("cases", "name", {i: case.name for i, case in manifest.cases.items()}),
        *_repetition_conflicts(manifest),
        *_repeated("parts", "name", {i: part.name for i, part in manifest.parts.items()}),
        *_part_conflicts(manifest),
        *_efficiency_conflicts(manifest),
        *_repeated("tags", None, dict(enumerate(manifest.tags))),
        *_repeated("prerequisites", None, dict(enumerate(manifest.prerequisites))),
        *_repeated("may_change", None, dict(enumerate(manifest.may_change))),
        *_repeated("frameworks", None, dict(enumerate(manifest.frameworks or ()))),
        *_framework_conflicts(manifest, "parameters", manifest.parameters),
        *_framework_conflicts(manifest, "inputs", manifest.inputs or {}),
        *_track_conflicts(manifest),
        *_change_conflicts(manifest),
        *_answer_conflicts(manifest),
        *_list_conflicts(manifest),
        *_sample_conflicts(manifest),
        *_order_conflicts(manifest),
        *checker_conflicts(manifest.checkers, manifest.tolerance_leaves),
        *requirement_conflicts(manifest.requirements, manifest.case_inputs, manifest.functions),
        *tracing_conflicts(manifest.requirements, manifest.cases, manifest.parameters),
        *(
            framework_conflicts(manifest.requirements, manifest.cases, manifest.frameworks)
            if manifest.frameworks
            else ()
        ),
        *(conflict for index, case in manifest.cases.items() for conflict in _case_conflicts(manifest, index, case)),
    ]


def _repeated(key: str, field: str | None, words: Mapping[int, str]) -> Iterator[Conflict]:
    seen: dict[str, int] = {}
    for index, word in words.items():
        if word in seen:
            location: Location = (key, index) if field is None else (key, index, field)
            yield Conflict(
                location, f"is {word!r}, as {key}[{seen[word]}] is", "rename or remove one: each must differ"
            )
        seen.setdefault(word, index)


def _repetition_conflicts(manifest: PartialManifest) -> Iterator[Conflict]:
    taken = {case.name: index for index, case in manifest.cases.items() if case.repeat is None}
    total = 0
    for index, case in manifest.cases.items():
        total += len(case.names)
        for name in case.names if case.repeat else ():
            if name in taken:
                message = f"makes a case {name}, which is the name of cases[{taken[name]}]"
                yield Conflict(("cases", index, "repeat"), message, "rename one of them")
    if total > MAX_CASES:
        yield Conflict(("cases",), f"makes {total} cases in all", f"repeat less: at most {MAX_CASES} are possible")


def _part_conflicts(manifest: PartialManifest) -> Iterator[Conflict]:
    names = [part.name for part in manifest.parts.values()]
    for index, case in manifest.cases.items():
        if case.part is not None and case.part not in names:
            remedy = f"use one of {', '.join(names)}" if names else "list the part under `parts`, with title and points"
            message = f"is {case.part!r}, which is no part of the problem{nearest(case.part, names)}"
            yield Conflict(("cases", index, "part"), message, remedy)
        elif case.part is None and names and manifest.is_complete:
            message = "is missing: the problem has parts, and every case belongs to one"
            yield Conflict(("cases", index, "part"), message, f"add `part:` with one of {', '.join(names)}")
    if not manifest.is_complete or not names:
        return
    used = {case.part for case in manifest.cases.values()}
    for index, part in manifest.parts.items():
        if part.name not in used:
            message = f"is {part.name!r}, to which no case belongs"
            yield Conflict(("parts", index, "name"), message, f"add `part: {part.name}` to a case, or remove the part")
    if (total := sum(part.points for part in manifest.parts.values())) != MAX_POINTS:
        message = f"have {total} points in all"
        yield Conflict(("parts",), message, f"let them sum to {MAX_POINTS}, so that scores of problems compare")


def _efficiency_conflicts(manifest: PartialManifest) -> Iterator[Conflict]:
    rule, sizes = manifest.efficiency, dict[int, list[Case]]()
    for index, case in manifest.cases.items():
        if case.size is None:
            continue
        sizes.setdefault(case.size, []).append(case)
        if case.visibility == "sample" or case.sealed:
            what = "a sample, whose answer students can write down" if case.visibility == "sample" else "a sealed case"
            yield Conflict(("cases", index, "size"), f"is given for {what}", "give sizes to open hidden cases only")
        elif rule is None and manifest.is_complete:
            remedy = "add `efficiency:` with `max_time_ratio:`, or remove size"
            yield Conflict(("cases", index, "size"), "is given, but the problem has no efficiency", remedy)
    if rule is None:
        return
    if not manifest.is_complete:
        return
    least = 1 if rule.max_growth is None else 2
    if len(sizes) < least:
        message = f"needs cases of {least} or more sizes, but the cases have {len(sizes)}"
        yield Conflict(("efficiency",), message, "add `size:` to hidden cases, such as `size: 4096`")
    for size, cases in sizes.items():
        if len(cases) < LEAST_OF_A_SIZE:
            message = f"needs {LEAST_OF_A_SIZE} or more cases of each size, but only {cases[0].name} has size {size}"
            yield Conflict(("efficiency",), message, "add one with other inputs, so that keeping an answer is no help")


def _parameter_conflicts(manifest: PartialManifest) -> Iterator[Conflict]:
    """Without a driver, the cases give the arguments."""
    if manifest.inputs is not None:
        return
    if manifest.is_complete and not manifest.expected({}):
        yield Conflict(("parameters",), "is empty", "add at least 1 parameter, or list what cases give under `inputs`")
    for index, parameter in manifest.parameters.items():
        if parameter.is_object:
            message = f"is {parameter.type}, which a case can't give"
            remedy = "list what cases give under `inputs`, and let arguments.py make the object from it"
            yield Conflict(("parameters", index, "type"), message, remedy)


def _framework_conflicts(
    manifest: PartialManifest, key: str, parameters: Mapping[int, Parameter]
) -> Iterator[Conflict]:
    for index, parameter in parameters.items():
        kind = parameter.array_kind
        if kind is None or manifest.frameworks is None or set(FRAMEWORKS_OF[kind]) & set(manifest.frameworks):
            continue
        place = "type" if parameter.is_array else "leaves"
        message = f"is {kind}, but frameworks has only {', '.join(manifest.frameworks)}"
        yield Conflict((key, index, place), message, f"add {kind} to frameworks")


def _track_conflicts(manifest: PartialManifest) -> Iterator[Conflict]:
    if manifest.track is None and manifest.position is not None:
        message = f"is {manifest.position}, but the problem has no track"
        yield Conflict(("position",), message, "add `track:` or remove position")
    if manifest.is_complete and manifest.track is not None and manifest.position is None:
        yield Conflict(
            ("position",), "is missing in a problem with a track", "add `position: 1`, the position in the track"
        )


def _change_conflicts(manifest: PartialManifest) -> Iterator[Conflict]:
    own = [each.name for each in manifest.expected({})]
    known = (*manifest.input_names, *(name for name in own if name not in manifest.input_names))
    for index, name in enumerate(manifest.may_change):
        if name not in known:
            message = f"is {name!r}, which is not a known {manifest.noun}{nearest(name, known)}"
            yield Conflict(("may_change", index), message, f"the {manifest.noun}s are {', '.join(known)}")


def _answer_conflicts(manifest: PartialManifest) -> Iterator[Conflict]:
    if manifest.answer is None or not manifest.is_complete:
        return
    declared = Declared(
        entry_point=manifest.entry_point,
        parameters=tuple(manifest.parameters.values()),
        inputs=tuple(manifest.case_inputs.values()),
        has_inputs=manifest.inputs is not None,
        frameworks=manifest.frameworks or (),
        checkers=manifest.checkers,
    )
    yield from _within(("answer",), manifest.answer.list_conflicts(declared))


def _list_conflicts(manifest: PartialManifest) -> Iterator[Conflict]:
    if manifest.accept_lists and manifest.dtype_policy == "exact":
        message = "is true, but dtype_policy is exact and the numbers of a list have no such dtype"
        yield Conflict(("accept_lists",), message, "remove it, or use `dtype_policy: kind`")


def _order_conflicts(manifest: PartialManifest) -> Iterator[Conflict]:
    """Samples come first: a sample shows what its process printed, so that process must not know hidden cases yet."""
    has_hidden = False
    for index, case in sorted(manifest.cases.items()):
        if case.visibility == "sample" and has_hidden:
            yield Conflict(("cases", index), "is a sample after a hidden case", "move the samples to the front")
        has_hidden = has_hidden or case.visibility == "hidden"


def _sample_conflicts(manifest: PartialManifest) -> Iterator[Conflict]:
    if manifest.is_complete and not any(case.visibility == "sample" for case in manifest.cases.values()):
        remedy = "add `visibility: sample` to a small case"
        yield Conflict(("cases",), f"has {len(manifest.cases)} hidden and no sample case", remedy)


def _case_conflicts(manifest: PartialManifest, index: int, case: Case) -> Iterator[Conflict]:
    yield from case_conflicts(index, case)
    if case.inputs is not None and manifest.answer is not None:
        names, expected = manifest.case_names(case.inputs), manifest.expected(case.inputs)
        found = input_conflicts(names, expected, case.inputs, manifest.noun)
        yield from _within(("cases", index, "inputs"), found)


def input_conflicts(
    names: tuple[str, ...], parameters: Iterable[Parameter], inputs: Mapping[str, Any], noun: str = Parameter.noun
) -> Iterator[Conflict]:
    """Yield the conflicts between the inputs of a case and the declared ones.

    `names` also has the inputs whose declaration is invalid. `noun` is "parameter" or "input".
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
            remedy = f"the {noun}s are {', '.join(names)}"
            yield Conflict((name,), f"is not a known {noun}{nearest(name, names)}", remedy)


def _value_conflicts(parameter: Parameter, value: Any) -> Iterator[Conflict]:
    if parameter.is_object:
        return  # its type is already a fault
    if isinstance(parameter, CallList):
        yield from _call_conflicts(parameter, value)
    elif isinstance(parameter, FunctionName) and (conflict := parameter.find_conflict(value)):
        yield conflict
    elif value is None:
        if not parameter.nullable:
            yield Conflict((), "is null", f"give a value, or add `nullable: true` to the {parameter.noun}")
    elif parameter.is_array:
        yield from array_conflicts(parameter, value)
    elif parameter.type in ("list", "dict"):
        yield from listed_conflicts(parameter, value)
    else:
        yield from plain_conflicts(parameter, value)


def _call_conflicts(parameter: CallList, calls: Any) -> Iterator[Conflict]:
    """Sizes agree within a call: another call may have another batch."""
    if found := list(parameter.find_conflicts(calls)):
        yield from found
        return
    for index, call in enumerate(calls):
        arguments = list(parameter.arguments([call]))
        conflicts = [
            replace(conflict, location=(index, *where[1:], *conflict.location))
            for where, each, value in arguments
            for conflict in (_unmade(each, value) if each.is_object else _value_conflicts(each, value))
        ]
        yield from conflicts
        if not conflicts:
            sizes = _size_conflicts([(each, value) for _, each, value in arguments])
            yield from _within((index, *(call if isinstance(call, dict) else ())), sizes)


def _unmade(parameter: Parameter, value: Any) -> Iterator[Conflict]:
    if value is not None or not parameter.nullable:
        message = f"is given for type {parameter.type}, which a case can't give"
        yield Conflict((), message, "take it from an earlier call: `{result_of: 0}`")


def _size_conflicts(given: Iterable[tuple[Parameter, Any]]) -> Iterator[Conflict]:
    """Check that symbolic sizes agree within the case, and that the case fits in one message to a box."""
    total, sizes = 0, dict[str, tuple[str, int]]()
    for parameter, value in given:
        total += byte_count(value, parameter)
        if not parameter.is_array or value is None:
            continue
        for symbol, size in parameter.sizes(size_of(parameter, value)) or ():
            name, agreed = sizes.setdefault(str(symbol), (parameter.name, size))
            if size != agreed and isinstance(symbol, str):
                message = f"has {symbol} = {size}, but {name} has {symbol} = {agreed}"
                yield Conflict((parameter.name,), message, "make both sizes equal, or give them two names in shape")
    if total > MAX_INPUT_BYTES:
        yield Conflict((), f"hold {total} bytes, but a case may have {MAX_INPUT_BYTES}", "draw smaller arrays")
