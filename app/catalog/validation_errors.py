"""Turn Pydantic's errors into faults with a message and a remedy for the author."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pydantic import ValidationError

from app.catalog.answers import ANSWERS
from app.catalog.case import DRAWS, without_tags
from app.catalog.case_validation import shown
from app.catalog.fault import Fault, Inconsistent, Location, nearest
from app.catalog.parameter import CLASS_NAME
from app.catalog.yaml_document import Document
from app.judging.checkers import CHECKERS
from app.judging.requirements import REQUIREMENTS
from app.judging.requirements.calls import CALL_NAME
from app.judging.requirements.forbids import STRUCTURES
from app.judging.requirements.forbids_calls import FULL_NAME

Facts = dict[str, Any]
Known = Callable[[Location], Iterable[str]]

_TYPES = {
    "string_type": "a text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "dict_type": "a mapping",
}
PATTERNS = {
    "^[a-z][a-z0-9_]*$": f"{', '.join(STRUCTURES)}, or an operation of StableHLO such as dot_general or sort",
    "^[a-z0-9_]+$": "lower-case letters, digits and _",
    "^[A-Z][A-Z0-9_]*$": "a size: a number, an upper-case name such as N, or ... for any number of axes",
    "^[A-Za-z_][A-Za-z0-9_]*$": "a Python name",
    "^[a-z0-9][a-z0-9_-]*$": "lower-case letters, digits, _ and -",
    "^[a-z0-9][a-z0-9+._-]*$": "lower-case letters, digits, + . _ and -",
    "^[a-z0-9_]+(\\.py)?$": "lower-case letters, digits and _",
    r"^[^\n]*$": "one line",
    FULL_NAME: "the full name of a function, such as torch.softmax, or numpy.linalg.* for a whole module",
    CALL_NAME: "the name of a call, such as optimizer.step, or of a parameter of type function",
    "^[a-z0-9][a-z0-9._-]*$": "the name of a file, of lower-case letters, digits, . _ and -",
    CLASS_NAME: "the dotted name of a class, such as torch.nn.Module, or object or function",
}
_BOUNDS = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}


def explain(error: ValidationError, document: Document, known: Known) -> Iterator[Fault]:
    """Yield one fault per error. `known` lists the allowed keys at a location, for suggestions."""
    for facts in error.errors(include_url=False):
        location = without_tags(facts["loc"])
        cause = facts.get("ctx", {}).get("error")
        if isinstance(cause, Inconsistent):
            yield from document.located(conflict.within(*location) for conflict in cause.conflicts)
        else:
            yield document.fault(location, *_sentence(dict(facts), location, known))


def _sentence(facts: Facts, location: Location, known: Known) -> tuple[str, str]:
    kind, value, context = facts["type"], facts["input"], facts.get("ctx", {})
    if kind == "missing":
        return "is missing", f"add `{location[-1]}: …`"
    if kind == "extra_forbidden":
        return _unknown_key(str(location[-1]), value, known(location[:-1]))
    if kind == "literal_error":
        return _not_among(value, str(context["expected"]).replace("'", "").replace(" or ", ", ").split(", "))
    if kind == "unknown_draw":
        return _not_among(value["draw"], list(DRAWS), "draw ")
    if kind == "unknown_checker":
        return _unknown_checker(value)
    if kind == "unknown_answer":
        return _unknown_answer(value)
    if kind == "unknown_requirement":
        return _unknown_requirement(value)
    if kind in ("model_type", "model_attributes_type"):
        return f"is {shown(value)}", f"write a mapping such as `{_example(location, value, list(known(location)))}`"
    return _out_of_bounds(kind, value, context)


def _unknown_key(key: str, value: object, known: Iterable[str]) -> tuple[str, str]:
    keys = sorted(known)
    remedy = f"rename or remove it; the known keys are {', '.join(keys)}"
    if value is None:  # {doc: one, two} is {doc: one, "two": null}
        remedy += "; put a text with a comma in quotes inside { }"
    return f"is not a known key{nearest(key, keys)}", remedy


def _example(location: Location, value: object, keys: list[str]) -> str:
    """Show the mapping to write: `tolerance: {rtol: 1e-05, atol: 1e-05}`, or `{name: …, type: …}` for an item."""
    shown_keys = sorted(keys, key="name".__ne__)[:2]
    is_margin = shown_keys == ["rtol", "atol"] and isinstance(value, int | float)
    inside = ", ".join(f"{key}: {value if is_margin else '…'}" for key in shown_keys)
    return f"{{{inside}}}" if isinstance(location[-1], int) else f"{location[-1]}: {{{inside}}}"


def _not_among(value: object, words: list[str], what: str = "") -> tuple[str, str]:
    return f"{what}is {shown(value)}{nearest(str(value), words)}", f"use one of {', '.join(words)}"


def _unknown_checker(value: object) -> tuple[str, str]:
    if not isinstance(value, dict):
        return f"is {shown(value)}", f"write `{{checker: …}}` with one of {', '.join(CHECKERS)}"
    if "checker" not in value:
        return "has no key `checker`", f"add `checker:` with one of {', '.join(CHECKERS)}"
    return _not_among(value["checker"], list(CHECKERS), "checker ")


def _unknown_answer(value: object) -> tuple[str, str]:
    if not isinstance(value, dict):
        return f"is {shown(value)}", f"write `{{kind: …}}` with one of {', '.join(ANSWERS)}"
    if "kind" not in value:
        return "has no key `kind`", f"add `kind:` with one of {', '.join(ANSWERS)}"
    return _not_among(value["kind"], list(ANSWERS), "kind ")


def _unknown_requirement(value: object) -> tuple[str, str]:
    kinds = ", ".join(REQUIREMENTS)
    if not isinstance(value, dict):
        return f"is {shown(value)}", f"write `{{uses: …}}` or another of {kinds}"
    word = next(map(str, value), "")
    return f"has no known kind{nearest(word, REQUIREMENTS)}", f"use one of the keys {kinds}"


def _out_of_bounds(kind: str, value: object, context: Facts) -> tuple[str, str]:
    if kind in _TYPES:
        return f"is {shown(value)}", f"write {_TYPES[kind]}{_unquote(kind, value)}"
    if kind == "string_pattern_mismatch":
        return (
            f"is {shown(value)}",
            f"use {PATTERNS.get(pattern := context['pattern'], f'a text that matches {pattern}')}",
        )
    if kind == "finite_number":
        return f"is {shown(value)}", "write a finite number"
    for key, words in _BOUNDS.items():
        if key in context:
            return f"is {shown(value)}", f"must be {words} {context[key]}"
    return _wrong_length(kind, value, context)


def _wrong_length(kind: str, value: object, context: Facts) -> tuple[str, str]:
    size = len(value) if isinstance(value, str | list | tuple | dict) else 0
    what = "characters" if isinstance(value, str) else "items"
    if "max_length" in context:
        return f"has {size} {what}", f"must have at most {context['max_length']}"
    if "min_length" in context:
        return (f"has {size} {what}" if size else "is empty"), f"must have at least {context['min_length']}"
    return f"is {shown(value)}", f"can't be used ({kind.replace('_', ' ')})"


def _unquote(kind: str, value: object) -> str:
    if kind in ("int_type", "float_type") and isinstance(value, str):
        return ", without quotes or other characters (010, 1:30 and 1,000 are texts)"
    if kind == "bool_type" and isinstance(value, str):
        return " (yes, no, on and off are texts)"
    if kind == "string_type":
        return ': put it in quotes, "…"'
    return ""
