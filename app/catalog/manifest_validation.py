"""The rules between the keys of a manifest whose keys are valid one by one."""

from collections.abc import Iterator, Sequence

from app.catalog.answers.kind import Declared, inputs_of
from app.catalog.case import MAX_CASES, Case
from app.catalog.case_validation import input_conflicts
from app.catalog.fault import Conflict, Location, nearest
from app.catalog.manifest import Manifest
from app.catalog.parameter import FRAMEWORKS_OF, KERNEL_FRAMEWORKS, Parameter
from app.catalog.rule_validation import (
    checker_conflicts,
    framework_conflicts,
    requirement_conflicts,
    sealed_conflicts,
    tracing_conflicts,
)
from app.judging.requirements.kernel import Kernel

MAX_POINTS = 100
# A solution is timed on an input that its process has not had before.
LEAST_OF_A_SIZE = 2


def list_conflicts(manifest: Manifest) -> list[Conflict]:
    return [
        *_name_conflicts(manifest),
        *_parameter_conflicts(manifest),
        *_repetition_conflicts(manifest),
        *_part_conflicts(manifest),
        *_efficiency_conflicts(manifest),
        *_array_conflicts(manifest, "parameters", manifest.parameters),
        *_array_conflicts(manifest, "inputs", manifest.inputs or ()),
        *_track_conflicts(manifest),
        *_change_conflicts(manifest),
        *_answer_conflicts(manifest),
        *_list_conflicts(manifest),
        *_visibility_conflicts(manifest),
        *checker_conflicts(manifest.checkers, manifest.tolerance.leaves if manifest.tolerance else {}),
        *requirement_conflicts(manifest.requirements, manifest.declared_inputs, manifest.functions),
        *tracing_conflicts(manifest.requirements, manifest.cases, manifest.parameters),
        *framework_conflicts(manifest.requirements, manifest.cases, manifest.frameworks),
        *_gpu_conflicts(manifest),
        *(conflict for index, case in enumerate(manifest.cases) for conflict in _case_conflicts(manifest, index, case)),
    ]


def _gpu_conflicts(manifest: Manifest) -> Iterator[Conflict]:
    place = ("limits", "interpreter")
    if manifest.limits.interpreter and not manifest.limits.gpu:
        yield Conflict(place, "is true, but the problem needs no GPU", "add `gpu: true`, or remove it")
    elif manifest.limits.interpreter and not KERNEL_FRAMEWORKS.intersection(manifest.frameworks):
        message = "is true, but only kernels in Pallas and Triton have an interpreter"
        yield Conflict(place, message, "add pallas or triton to frameworks, or remove it")
    for index, requirement in enumerate(manifest.requirements):
        is_compiled = manifest.limits.gpu and not manifest.limits.interpreter
        if isinstance(requirement, Kernel) and requirement.is_watched and is_compiled:
            message = "is watched in Triton's interpreter, which the problem does not allow"
            yield Conflict(
                ("requirements", index, "kernel"), message, "add `interpreter: true` to limits, or remove it"
            )


def _name_conflicts(manifest: Manifest) -> Iterator[Conflict]:
    for key, items in (
        ("parameters", manifest.parameters),
        ("inputs", manifest.inputs or ()),
        ("cases", manifest.cases),
        ("parts", manifest.parts),
    ):
        yield from _repeated(key, "name", [each.name for each in items])
    for key in ("tags", "prerequisites", "may_change", "frameworks"):
        yield from _repeated(key, None, getattr(manifest, key))


def _repeated(key: str, field: str | None, words: Sequence[str]) -> Iterator[Conflict]:
    seen: dict[str, int] = {}
    for index, word in enumerate(words):
        if word in seen:
            location: Location = (key, index) if field is None else (key, index, field)
            yield Conflict(
                location, f"is {word!r}, as {key}[{seen[word]}] is", "rename or remove one: each must differ"
            )
        seen.setdefault(word, index)


def _repetition_conflicts(manifest: Manifest) -> Iterator[Conflict]:
    taken = {case.name: index for index, case in enumerate(manifest.cases) if case.repeat is None}
    for index, case in enumerate(manifest.cases):
        for name in case.names if case.repeat else ():
            if name in taken:
                message = f"makes a case {name}, which is the name of cases[{taken[name]}]"
                yield Conflict(("cases", index, "repeat"), message, "rename one of them")
    if (total := sum(len(case.names) for case in manifest.cases)) > MAX_CASES:
        yield Conflict(("cases",), f"makes {total} cases in all", f"repeat less: at most {MAX_CASES} are possible")


def _part_conflicts(manifest: Manifest) -> Iterator[Conflict]:
    names = [part.name for part in manifest.parts]
    for index, case in enumerate(manifest.cases):
        if case.part is not None and case.part not in names:
            remedy = f"use one of {', '.join(names)}" if names else "list the part under `parts`, with title and points"
            message = f"is {case.part!r}, which is no part of the problem{nearest(case.part, names)}"
            yield Conflict(("cases", index, "part"), message, remedy)
        elif case.part is None and names:
            message = "is missing: the problem has parts, and every case belongs to one"
            yield Conflict(("cases", index, "part"), message, f"add `part:` with one of {', '.join(names)}")
    used = {case.part for case in manifest.cases}
    for index, part in enumerate(manifest.parts):
        if part.name not in used:
            message = f"is {part.name!r}, to which no case belongs"
            yield Conflict(("parts", index, "name"), message, f"add `part: {part.name}` to a case, or remove the part")
    if names and (total := sum(part.points for part in manifest.parts)) != MAX_POINTS:
        message = f"have {total} points in all"
        yield Conflict(("parts",), message, f"let them sum to {MAX_POINTS}, so that scores of problems compare")


def _efficiency_conflicts(manifest: Manifest) -> Iterator[Conflict]:
    rule, sizes = manifest.efficiency, dict[int, list[Case]]()
    for index, case in enumerate(manifest.cases):
        if case.size is None:
            continue
        sizes.setdefault(case.size, []).append(case)
        if case.visibility == "sample" or case.sealed:
            what = "a sample, whose answer students can write down" if case.visibility == "sample" else "a sealed case"
            yield Conflict(("cases", index, "size"), f"is given for {what}", "give sizes to open hidden cases only")
        elif rule is None:
            remedy = "add `efficiency:` with `max_time_ratio:`, or remove size"
            yield Conflict(("cases", index, "size"), "is given, but the problem has no efficiency", remedy)
    if rule is None:
        return
    least = 1 if rule.max_growth is None else 2
    if len(sizes) < least:
        message = f"needs cases of {least} or more sizes, but the cases have {len(sizes)}"
        yield Conflict(("efficiency",), message, "add `size:` to hidden cases, such as `size: 4096`")
    for size, cases in sizes.items():
        if len(cases) < LEAST_OF_A_SIZE:
            message = f"needs {LEAST_OF_A_SIZE} or more cases of each size, but only {cases[0].name} has size {size}"
            yield Conflict(("efficiency",), message, "add one with other inputs, so that keeping an answer is no help")


def _parameter_conflicts(manifest: Manifest) -> Iterator[Conflict]:
    """Without `inputs`, the cases give the arguments."""
    if manifest.inputs is not None:
        return
    if not manifest.case_inputs:
        yield Conflict(("parameters",), "is empty", "add at least 1 parameter, or list what cases give under `inputs`")
    for index, parameter in enumerate(manifest.parameters):
        if parameter.is_object:
            message = f"is {parameter.type}, which a case can't give"
            remedy = "list what cases give under `inputs`, and let arguments.py make the object from it"
            yield Conflict(("parameters", index, "type"), message, remedy)


def _array_conflicts(manifest: Manifest, key: str, parameters: Sequence[Parameter]) -> Iterator[Conflict]:
    for index, parameter in enumerate(parameters):
        kind = parameter.array_kind
        if kind is None or set(FRAMEWORKS_OF[kind]) & set(manifest.frameworks):
            continue
        place = "type" if parameter.is_array else "leaves"
        message = f"is {kind}, but frameworks has only {', '.join(manifest.frameworks)}"
        yield Conflict((key, index, place), message, f"add {kind} to frameworks")


def _track_conflicts(manifest: Manifest) -> Iterator[Conflict]:
    if manifest.track is None and manifest.position is not None:
        message = f"is {manifest.position}, but the problem has no track"
        yield Conflict(("position",), message, "add `track:` or remove position")
    if manifest.track is not None and manifest.position is None:
        yield Conflict(
            ("position",), "is missing in a problem with a track", "add `position: 1`, the position in the track"
        )


def _change_conflicts(manifest: Manifest) -> Iterator[Conflict]:
    noun = _noun(manifest)
    known = list(dict.fromkeys(each.name for each in (*manifest.declared_inputs, *manifest.case_inputs)))
    for index, name in enumerate(manifest.may_change):
        if name not in known:
            message = f"is {name!r}, which is not a known {noun}{nearest(name, known)}"
            yield Conflict(("may_change", index), message, f"the {noun}s are {', '.join(known)}")


def _answer_conflicts(manifest: Manifest) -> Iterator[Conflict]:
    declared = Declared(
        entry_point=manifest.entry_point,
        parameters=manifest.parameters,
        inputs=manifest.declared_inputs,
        has_inputs=manifest.inputs is not None,
        frameworks=manifest.frameworks,
        checkers=manifest.checkers,
    )
    yield from (conflict.within("answer") for conflict in manifest.answer.list_conflicts(declared))


def _list_conflicts(manifest: Manifest) -> Iterator[Conflict]:
    if manifest.accept_lists and manifest.dtype_policy == "exact":
        message = "is true, but dtype_policy is exact and the numbers of a list have no such dtype"
        yield Conflict(("accept_lists",), message, "remove it, or use `dtype_policy: kind`")


def _visibility_conflicts(manifest: Manifest) -> Iterator[Conflict]:
    """Samples come first: a sample shows what its process printed, so that process must not know hidden cases yet."""
    visibilities = [case.visibility for case in manifest.cases]
    if "sample" not in visibilities:
        remedy = "add `visibility: sample` to a small case"
        yield Conflict(("cases",), f"has {len(visibilities)} hidden and no sample case", remedy)
    for index, visibility in enumerate(visibilities):
        if visibility == "sample" and "hidden" in visibilities[:index]:
            yield Conflict(("cases", index), "is a sample after a hidden case", "move the samples to the front")


def _case_conflicts(manifest: Manifest, index: int, case: Case) -> Iterator[Conflict]:
    yield from sealed_conflicts(index, case)
    if case.inputs is not None:
        expected = inputs_of(manifest.case_inputs, case.inputs)
        found = input_conflicts(expected, case.inputs, _noun(manifest))
        yield from (conflict.within("cases", index, "inputs") for conflict in found)


def _noun(manifest: Manifest) -> str:
    return "parameter" if manifest.inputs is None else "input"
