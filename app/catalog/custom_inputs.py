"""Custom inputs, which a student types as YAML with a key for each input of a case.

They are checked like the inputs of a case, must be small, and contain no draws.
"""

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from pydantic import TypeAdapter, ValidationError

from app.catalog.answers import list_case_inputs
from app.catalog.answers.kind import inputs_of
from app.catalog.case import Array, Case, Drawn, Value
from app.catalog.case_validation import input_conflicts
from app.catalog.fault import Conflict, Fault, Location, with_remedy
from app.catalog.parameter import ELLIPSIS, Parameter
from app.catalog.validation_errors import explain
from app.catalog.yaml_document import is_text, read_document
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


WIDTH = 72
# The example's value for a symbolic size.
SMALL = 2
_ZEROS: dict[str, Any] = {"float": 0.5, "int": 1, "bool": False, "str": "text", "list": [], "dict": {}}
_WORDS = {"nan": ".nan", "inf": ".inf", "-inf": "-.inf"}
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.")
Inputs = dict[str, Any]


class _Hidden(Exception):
    """A value that can't be an example: drawn, generated or too large."""


def write_example(manifest: Mapping[str, Any], samples: Mapping[str, Inputs | None]) -> str:
    """Return example inputs as a student types them, from the first sample with literal or previewed inputs.

    `samples`: the previews of the inputs of each sample.

    x: [1, 2.5]
    y:
      [[1, 2],
       [3, 4]]
    """
    parameters: list[Mapping[str, Any]] = list(list_case_inputs(manifest))
    inputs = next(_candidates(manifest, parameters, samples), None)
    if inputs is None:
        inputs = {parameter["name"]: _zeros(parameter) for parameter in parameters}
    return "".join(_entry(name, value) for name, value in inputs.items())


def _candidates(
    manifest: Mapping[str, Any], parameters: Sequence[Mapping[str, Any]], samples: Mapping[str, Inputs | None]
) -> Iterator[Inputs]:
    given = {case["name"]: case.get("inputs") for case in manifest.get("cases", ())}
    for name, previews in samples.items():
        for values in (_literal_inputs, _shown_inputs):
            try:
                yield values(parameters, given.get(name), previews)
            except _Hidden:
                continue


def _literal_inputs(parameters: Sequence[Mapping[str, Any]], given: Inputs | None, _: Inputs | None) -> Inputs:
    """Return the literals of the manifest."""
    if given is None:
        raise _Hidden
    names = [p["name"] for p in parameters if p["name"] in given]
    return {name: None if given[name] is None else _literal(given[name]) for name in names}


def _literal(value: Any) -> Any:
    if value is None or (isinstance(value, dict) and "draw" in value):  # null stands for NaN, which JSON lacks
        raise _Hidden
    if isinstance(value, dict) and "array" in value:
        kept = {"array": _literal(value["array"])}
        return kept | ({"dtype": value["dtype"]} if value.get("dtype") else {})
    if isinstance(value, dict):
        if not all(map(is_text, value)):  # a number, or a text like it: JSON has texts only
            raise _Hidden
        return {key: _literal(item) for key, item in value.items()}
    return [_literal(item) for item in value] if isinstance(value, list) else value


def _shown_inputs(parameters: Sequence[Mapping[str, Any]], _: Inputs | None, previews: Inputs | None) -> Inputs:
    """Return the values of the previews, if they are whole."""
    if previews is None:
        raise _Hidden
    return {p["name"]: _shown(p, previews[p["name"]]) for p in parameters if p["name"] in previews}


def _shown(parameter: Mapping[str, Any], preview: Mapping[str, Any]) -> Any:
    leaves = preview["leaves"]
    if preview["left_out"] or any("values" not in leaf for leaf in leaves):
        raise _Hidden
    pieces = preview.get("python", [None])
    if pieces == [0]:
        return leaves[0]["values"]
    texts = [piece if isinstance(piece, str) else repr(_array(parameter, leaves, piece)) for piece in pieces]
    try:
        value = ast.literal_eval("".join(texts))
        json.dumps(value)
    except (ValueError, SyntaxError, TypeError):  # NaN, inf, and what YAML lacks: complex numbers, tuples as keys
        raise _Hidden from None
    return value


def _array(parameter: Mapping[str, Any], leaves: Sequence[Mapping[str, Any]], number: int | None) -> Any:
    if number is None:
        raise _Hidden
    values, dtype = leaves[number]["values"], leaves[number]["dtype"]
    return {"array": values} if dtype == parameter["dtype"] else {"array": values, "dtype": dtype}


def _zeros(parameter: Mapping[str, Any]) -> Any:
    if parameter["type"] in _ZEROS:
        return _ZEROS[parameter["type"]]
    value: Any = False if parameter["dtype"] == "bool" else 0
    for size in reversed([size for size in parameter["shape"] if size != ELLIPSIS]):
        value = [value] * (size if isinstance(size, int) else SMALL)
    return value


def _entry(name: str, value: Any) -> str:
    text = _flow(value)
    if len(name) + len(text) > WIDTH and isinstance(value, list | dict) and value:
        text = "\n  " + ("[" if isinstance(value, list) else "{") + ",\n   ".join(_items(value)) + text[-1]
        return f"{name}:{text}\n"
    return f"{name}: {text}\n"


def _flow(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(_items(value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(_items(value))}}}"
    if isinstance(value, str):
        return _WORDS.get(value) or json.dumps(value, ensure_ascii=False)
    return json.dumps(value)


def _items(value: list[Any] | tuple[Any, ...] | dict[Any, Any]) -> list[str]:
    if isinstance(value, list | tuple):
        return [_flow(item) for item in value]
    return [f"{_key(key)}: {_flow(item)}" for key, item in value.items()]


def _key(key: Any) -> str:
    is_plain = isinstance(key, str) and key and set(key) <= _PLAIN and is_text(key)
    return str(key) if is_plain else json.dumps(key, ensure_ascii=False)
