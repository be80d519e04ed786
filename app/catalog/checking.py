"""The key `checkers`: what may stand there, and what of it can't be right."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Discriminator, Tag, TypeAdapter, ValidationError

from app.catalog.fault import Conflict
from app.catalog.parameter import Returns
from app.judging.checker import Checker, JointChecker
from app.judging.checkers import CHECKERS
from app.judging.rules import find_pattern


def _kind(value: object) -> str | None:
    """The tag of the checker's model, in brackets like those of draws."""
    name = value.get("checker") if isinstance(value, Mapping) else getattr(value, "checker", None)
    return f"<{name}>" if isinstance(name, str) and name in CHECKERS else None


if TYPE_CHECKING:
    AnyChecker = Checker
else:
    AnyChecker = Annotated[
        reduce(or_, (Annotated[model, Tag(f"<{name}>")] for name, model in CHECKERS.items())),
        Discriminator(_kind, custom_error_type="unknown_checker", custom_error_message="unknown checker"),
    ]
_ANY: TypeAdapter[Checker] = TypeAdapter(AnyChecker)


def read_checkers(content: Mapping[str, Any]) -> dict[str, Checker]:
    """Those of a document that can be read; the faults of the others are known."""
    given = content.get("checkers")
    valid: dict[str, Checker] = {}
    for pattern, options in given.items() if isinstance(given, dict) else ():
        with suppress(ValidationError):
            valid[pattern] = _ANY.validate_python(options)
    return valid


def checker_conflicts(checkers: Mapping[str, Checker], tolerance_leaves: Mapping[str, Any]) -> Iterator[Conflict]:
    """Between the checkers, and with the tolerances of leaves. `inspection` compares them with what is returned."""
    for pattern, checker in checkers.items():
        if objection := checker.find_contradiction():
            yield Conflict(("checkers", pattern, objection.key), objection.message, objection.remedy)
        if pattern in tolerance_leaves and not checker.has_tolerance:
            message = f"is given, but checker {checker.checker} of the same leaf uses no tolerance"
            yield Conflict(("tolerance", "leaves", pattern), message, "remove it, or choose a checker that uses it")
    yield from _group_conflicts(checkers)


def _group_conflicts(checkers: Mapping[str, Checker]) -> Iterator[Conflict]:
    first: dict[str, Checker] = {}
    for pattern, checker in checkers.items():
        if not isinstance(checker, JointChecker) or checker.group is None:
            continue
        known = first.setdefault(checker.group, checker)
        if known.checker != checker.checker:
            message = f"is {checker.group!r}, a group of checker {known.checker} too"
            yield Conflict(("checkers", pattern, "group"), message, "a group has one kind of checker: rename one")


def unfit_conflicts(checkers: Mapping[str, Checker], returns: Returns) -> Iterator[Conflict]:
    """With what a solution returns, where that is the output: the package has no driver that gives another."""
    if returns.type in ("list", "dict"):
        return
    dtype = returns.dtype or returns.type
    shape = tuple(size if isinstance(size, int) else None for size in returns.shape or ())
    for pattern, checker in checkers.items():
        where = ("checkers", pattern)
        if find_pattern("", [pattern]) is None:
            yield Conflict(where, f"names a leaf, but the output is one {returns.type}", 'use "*", which is all of it')
        elif objection := checker.find_unfit(dtype, shape):
            if objection.key:
                yield Conflict((*where, objection.key), objection.message, objection.remedy)
            else:
                yield Conflict(where, f"is for an output that {objection.message}", objection.remedy)
