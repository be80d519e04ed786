"""Custom inputs, which a student types as YAML with a key for each input of a case.

They are checked like the inputs of a case, must be small, and contain no draws.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from pydantic import TypeAdapter, ValidationError

from app.catalog.answers.kind import inputs_of
from app.catalog.case import Array, Case, Drawn, Value
from app.catalog.case_validation import input_conflicts
from app.catalog.fault import Conflict, Fault, Location, with_remedy
from app.catalog.parameter import Parameter
from app.catalog.validation_errors import explain
from app.catalog.yaml_document import read_document
from app.errors import Invalid

OWN_INPUTS = "own_inputs"  # the name of the case
UNANSWERED = "inputs without an answer"  # the category if the reference fails on them
MAX_BYTES = 16 * 2**10  # of the text
MAX_VALUE_BYTES = 64 * 2**10  # of the values; anchors repeat parts of the text
MAX_NODES = MAX_VALUE_BYTES // 2  # more exceed MAX_VALUE_BYTES anyway and take long to check
MAX_SHOWN = 5

_GIVEN: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Value])
# Remedies for authors, and what a student can do instead.
_REMEDIES = {
    "change one of them": "give it that shape",
    "give a value, or add `nullable: true` to the parameter": "give a value",
    "give a value, or add `nullable: true` to the input": "give a value",
    "remove it here, or change the parameter": "remove it here",
    "remove it here, or change the input": "remove it here",
    "use a value in that range or a wider dtype": "use a value in that range",
    "make both sizes equal, or give them two names in shape": "make both sizes equal",
    "give numbers in lists, or `{draw: …}`": "give numbers in lists",
    "draw large inputs, or use cases.py": "use smaller inputs",
    "write one mapping: `title: …`, `summary: …` and so on": "write one line for each input, such as `x: [1, 2]`",
}


class InputsInvalid(Invalid):
    """The custom inputs are invalid. `faults` has the first ones by line."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(sorted(faults, key=lambda fault: fault.line)[:MAX_SHOWN])
        more = f"; and {len(faults) - MAX_SHOWN} more" if len(faults) > MAX_SHOWN else ""
        super().__init__("inputs", "your inputs: " + "; ".join(map(say, self.faults)) + more)


def say(fault: Fault) -> str:
    words = with_remedy(fault.message, fault.remedy) if fault.remedy else fault.message
    what = f"{fault.key} {words}" if fault.key else f"the text {words}"
    return f"line {fault.line}: {what}" if fault.line else what


def read_own_inputs(text: str, parameters: Sequence[Parameter]) -> Case:
    """Return a sample case with these inputs. Raises InputsInvalid."""
    if (size := len(text.encode(errors="replace"))) > MAX_BYTES:
        remedy = f"try a smaller example; at most {MAX_BYTES} (16 KiB) are allowed"
        raise InputsInvalid([Fault("", 0, "", f"has {size} bytes", remedy)])
    document = read_document("", text, MAX_NODES, is_value=_is_value)
    found = list(document.faults)
    given: dict[str, Any] = {}
    if document.content is not None:
        try:
            given = _GIVEN.validate_python(document.content)
        except ValidationError as error:
            found += explain(error, document, lambda _: ("array", "dtype"))
    if not found:
        found = list(document.located(islice(_conflicts(given, parameters), 100)))
    if found:
        raise InputsInvalid([replace(fault, remedy=_REMEDIES.get(fault.remedy, fault.remedy)) for fault in found])
    return Case(name=OWN_INPUTS, visibility="sample", inputs=given)


def _is_value(where: Location) -> bool:
    """Whether the location is below the names of the inputs."""
    return where != ()


def _conflicts(given: Mapping[str, Any], parameters: Sequence[Parameter]) -> Iterator[Conflict]:
    drawn = [where for name, value in given.items() for where in _draws(value, (name,))]
    for where in drawn:
        yield Conflict(where, "is a draw", "write the values, such as [0.5, 1]")
    if drawn:
        return
    noun = parameters[0].noun if parameters else Parameter.noun
    expected = inputs_of(parameters, given)
    yield from input_conflicts(expected, given, noun)
    size = _size(given)
    if size > MAX_VALUE_BYTES:
        yield Conflict((), f"has {size} bytes of values", f"make it smaller; at most {MAX_VALUE_BYTES} are allowed")


def _size(value: Any) -> int:
    """Return the approximate size in bytes: that of texts, and 8 for every other value."""
    if isinstance(value, str):
        return 8 + len(value.encode(errors="replace"))
    if isinstance(value, Array):
        return _size(value.array)
    if isinstance(value, dict):
        return 8 + sum(_size(key) + _size(item) for key, item in value.items())
    return 8 + (sum(map(_size, value)) if isinstance(value, tuple) else 0)


def _draws(value: Any, where: Location) -> Iterator[Location]:
    if isinstance(value, Drawn):
        yield where
    elif isinstance(value, Array):
        yield from _draws(value.array, (*where, "array"))
    elif isinstance(value, dict | tuple):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _draws(item, (*where, key))
