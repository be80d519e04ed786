"""The rules for the keys `checkers`, `requirements`, `static`, `sealed` and `repeat`."""

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Discriminator, Tag, ValidationInfo

from app.catalog.case import Case, Drawn
from app.catalog.fault import Conflict, Location, nearest
from app.catalog.parameter import Parameter, Returns
from app.judging.checker import Checker
from app.judging.checkers import CHECKERS
from app.judging.comparison import find_pattern
from app.judging.requirement import Basis, Requirement
from app.judging.requirements import REQUIREMENTS
from app.judging.requirements.calls import CALLS, Calls


def _kind(value: object) -> str | None:
    """Return the tag of the checker's model, in brackets like the tags of draws."""
    name = value.get("checker") if isinstance(value, Mapping) else getattr(value, "checker", None)
    return f"<{name}>" if isinstance(name, str) and name in CHECKERS else None


if TYPE_CHECKING:
    AnyChecker = Checker
else:
    AnyChecker = Annotated[
        reduce(or_, (Annotated[model, Tag(f"<{name}>")] for name, model in CHECKERS.items())),
        Discriminator(_kind, custom_error_type="unknown_checker", custom_error_message="unknown checker"),
    ]


def checker_conflicts(checkers: Mapping[str, Checker], tolerance_leaves: Mapping[str, Any]) -> Iterator[Conflict]:
    """Yield the conflicts of checkers with the tolerances of leaves."""
    for pattern, checker in checkers.items():
        if pattern in tolerance_leaves and not checker.has_tolerance:
            message = f"is given, but checker {checker.checker} of the same leaf uses no tolerance"
            yield Conflict(("tolerance", "leaves", pattern), message, "remove it, or choose a checker that uses it")


def unfit_conflicts(checkers: Mapping[str, Checker], returns: Returns) -> Iterator[Conflict]:
    """Yield the checkers that can't judge what the solution returns, for packages without a driver."""
    if returns.type in ("list", "dict"):
        return
    dtype = returns.dtype or returns.type
    sizes = tuple(size if isinstance(size, int) else None for size in returns.shape or ())
    shape = None if returns.is_any_rank else sizes
    for pattern, checker in checkers.items():
        where = ("checkers", pattern)
        if find_pattern("", [pattern]) is None:
            yield Conflict(where, f"names a leaf, but the output is one {returns.type}", 'use "*", the whole output')
        elif objection := checker.find_unfit(dtype, shape):
            yield Conflict(where, f"is for an output that {objection.message}", objection.remedy)


def kind_of(value: object) -> str | None:
    """Return the key that names the kind of a requirement, such as `uses`."""
    keys = value if isinstance(value, Mapping) else getattr(value, "model_fields_set", ())
    return next((name for name in REQUIREMENTS if name in keys), None)


def _tag(value: object) -> str | None:
    name = kind_of(value)
    return f"<{name}>" if name else None


if TYPE_CHECKING:
    AnyRequirement = Requirement
else:
    AnyRequirement = Annotated[
        reduce(or_, (Annotated[model, Tag(f"<{name}>")] for name, model in REQUIREMENTS.items())),
        Discriminator(_tag, custom_error_type="unknown_requirement", custom_error_message="unknown requirement"),
    ]


def for_frameworks(given: tuple[Requirement, ...], info: ValidationInfo) -> tuple[Requirement, ...]:
    """Return the requirements as a problem with the model's `frameworks` has them."""
    return tuple(requirement.for_frameworks(info.data.get("frameworks", ())) for requirement in given)


def requirement_conflicts(
    requirements: Sequence[Requirement], parameters: Sequence[Parameter], functions: Sequence[str]
) -> Iterator[Conflict]:
    """`functions`: the names of the solution's arguments that are functions."""
    for index, requirement in enumerate(requirements):
        where = ("requirements", index)
        if isinstance(requirement, Calls) and requirement.calls not in (*CALLS, *functions):
            known = (*CALLS, *functions)
            message = f"is {requirement.calls!r}, which is not a known call{nearest(requirement.calls, known)}"
            remedy = f"use one of {', '.join(known)}, or declare a parameter of that name with `type: function`"
            yield Conflict((*where, "calls"), message, remedy)
        if objection := requirement.find_contradiction():
            yield Conflict((*where, objection.key), objection.message, objection.remedy)
        for key, name in requirement.names.items():
            yield from _number_conflicts((*where, key), name, requirement, parameters)
        arrays = [p.name for p in parameters if not p.static]
        for key, names in requirement.parameters.items():
            for place, name in enumerate(names):
                if name not in arrays:
                    message = f"is {name!r}, which is not a traced parameter{nearest(name, arrays)}"
                    yield Conflict(
                        (*where, *key.split("."), place), message, f"use one of {', '.join(arrays) or 'none'}"
                    )


def _number_conflicts(
    where: Location, name: str, requirement: Requirement, parameters: Sequence[Parameter]
) -> Iterator[Conflict]:
    """Check that a name is a number in every case. For programs it must be static."""
    symbols = {size for p in parameters if p.is_array for size in p.symbols}
    found = next((p for p in parameters if p.name == name), None)
    known = sorted(symbols | {p.name for p in parameters if p.type in ("int", "float")})
    if found is None and name not in symbols:
        yield Conflict(
            where, f"is {name!r}, which is neither a parameter nor a size{nearest(name, known)}", _use(known)
        )
    elif found is not None and (found.type not in ("int", "float") or found.nullable):
        yield Conflict(where, f"is {name!r}, which is not a number in every case", _use(known))
    elif found is not None and requirement.basis == "program" and not found.static:
        yield Conflict(where, f"is {name!r}, which is not static", f"add `static: true` to parameter {name}")


def _use(known: list[str]) -> str:
    return f"give a number, or one of {', '.join(known)}" if known else "give a number"


def tracing_conflicts(
    requirements: Sequence[Requirement], cases: Sequence[Case], parameters: Sequence[Parameter]
) -> Iterator[Conflict]:
    """Check that JAX can trace each parameter that is not static, if solutions are exported as programs."""
    is_traced = any(r.basis == "program" for r in requirements) or any(c.sealed for c in cases)
    for index, parameter in enumerate(parameters):
        where = ("parameters", index)
        if is_traced and not parameter.static and parameter.type == "str":
            yield Conflict((*where, "static"), "is missing for a text, which JAX can't trace", "add `static: true`")
        elif is_traced and parameter.array_kind in ("torch", "numpy"):
            key = "type" if parameter.is_array else "leaves"
            message = f"is {parameter.array_kind}, but requirements on programs and sealed cases need JAX"
            yield Conflict((*where, key), message, "use jax")


def framework_conflicts(
    requirements: Sequence[Requirement], cases: Sequence[Case], frameworks: Sequence[str]
) -> Iterator[Conflict]:
    for where, _basis, needed in _asking(requirements, cases):
        for framework in needed:
            if framework not in frameworks:
                message = f"needs {framework}, but frameworks has only {', '.join(frameworks)}"
                yield Conflict(where, message, f"add {framework} to frameworks, or remove it")


def driver_conflicts(requirements: Sequence[Requirement], cases: Sequence[Case]) -> Iterator[Conflict]:
    """Yield what a package can't ask for, unless Allclose calls the function itself."""
    for where, basis, _needed in _asking(requirements, cases):
        if basis == "program":
            message = "needs the program of a plain function, without `answer`, arguments.py and driver.py"
            yield Conflict(where, message, "remove it or those; requirements on calls and syntax work with all of them")


def _asking(
    requirements: Sequence[Requirement], cases: Sequence[Case]
) -> Iterator[tuple[Location, Basis, Sequence[str]]]:
    """Yield the location of each key that needs evidence, the kind of evidence, and the frameworks it needs."""
    for index, requirement in enumerate(requirements):
        yield ("requirements", index, kind_of(requirement) or ""), requirement.basis, requirement.frameworks
    for index, case in enumerate(cases):
        if case.sealed:
            yield ("cases", index, "sealed"), "program", ("jax",)


def sealed_conflicts(index: int, case: Case) -> Iterator[Conflict]:
    if case.sealed and case.visibility == "sample":
        yield Conflict(("cases", index, "sealed"), "is given for a sample, but samples are public", "remove it")
    if case.repeat is None:
        return
    where = ("cases", index, "repeat")
    if not case.sealed:
        yield Conflict(where, "is given for a case that is not sealed", "add `sealed: true`, or write the cases out")
    if case.inputs is None:
        yield Conflict(where, "is given for a generated case", "draw the inputs here, or write the cases out")
    elif not any(map(_draws, case.inputs.values())):
        yield Conflict(where, "is given, but nothing in these inputs is drawn", "draw something, or remove repeat")


def _draws(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(map(_draws, value.values()))
    return isinstance(value, Drawn) or (isinstance(value, tuple) and any(map(_draws, value)))
