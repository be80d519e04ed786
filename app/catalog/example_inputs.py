"""Inputs as a student would type them, to begin with: those of the first sample that can be written out.

x: [1, 2.5]
y:
  [[1, 2],
   [3, 4]]
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.catalog.parameter import list_case_inputs
from app.catalog.view import SampleCase

WIDTH = 72
# Of sizes that have only a name; the type's own for what is no array.
SMALL = 2
_ZEROS: dict[str, Any] = {"float": 0.5, "int": 1, "bool": False, "str": "text", "list": [], "dict": {}}
_WORDS = {"nan": ".nan", "inf": ".inf", "-inf": "-.inf"}
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.")

Inputs = dict[str, Any]


class _Hidden(Exception):
    """A value that is not there to be written: drawn, generated or too large."""


def write_example(manifest: Mapping[str, Any], samples: Sequence[SampleCase]) -> str:
    """`manifest`: as revisions hold it; `samples`: with previews of their inputs, once there are any."""
    parameters: list[Mapping[str, Any]] = list(list_case_inputs(manifest))
    inputs = next(_candidates(manifest, parameters, samples), None)
    if inputs is None:
        inputs = {parameter["name"]: _zeros(parameter) for parameter in parameters}
    return "".join(_entry(name, value) for name, value in inputs.items())


def _candidates(
    manifest: Mapping[str, Any], parameters: Sequence[Mapping[str, Any]], samples: Sequence[SampleCase]
) -> Iterator[Inputs]:
    given = {case["name"]: case.get("inputs") for case in manifest.get("cases", ())}
    for sample in samples:
        for values in (_literal_inputs, _shown_inputs):
            try:
                yield values(parameters, given.get(sample.name), sample.inputs)
            except _Hidden:
                continue


def _literal_inputs(parameters: Sequence[Mapping[str, Any]], given: Inputs | None, _: Inputs | None) -> Inputs:
    """As the author wrote them."""
    if given is None:
        raise _Hidden
    return {p["name"]: None if given[p["name"]] is None else _literal(given[p["name"]]) for p in parameters}


def _literal(value: Any) -> Any:
    if value is None or (isinstance(value, dict) and "draw" in value):  # JSON has no NaN, and null in its place
        raise _Hidden
    if isinstance(value, dict) and "array" in value:
        kept = {"array": _literal(value["array"])}
        return kept | ({"dtype": value["dtype"]} if value.get("dtype") else {})
    if isinstance(value, dict):
        return {key: _literal(item) for key, item in value.items()}
    return [_literal(item) for item in value] if isinstance(value, list) else value


def _shown_inputs(parameters: Sequence[Mapping[str, Any]], _: Inputs | None, previews: Inputs | None) -> Inputs:
    """As samples show them, where they show all of them."""
    if previews is None:
        raise _Hidden
    return {p["name"]: _shown(p, previews[p["name"]]) for p in parameters}


def _shown(parameter: Mapping[str, Any], preview: Mapping[str, Any]) -> Any:
    leaves = preview["leaves"]
    if preview["left_out"] or any("values" not in leaf for leaf in leaves):
        raise _Hidden
    if parameter["type"] not in ("list", "dict"):
        return leaves[0]["values"]
    if parameter["type"] == "list" or any("/" in leaf["path"] for leaf in leaves):
        raise _Hidden
    return {leaf["path"]: {"array": leaf["values"]} if leaf["shape"] else leaf["values"] for leaf in leaves}


def _zeros(parameter: Mapping[str, Any]) -> Any:
    if parameter["type"] in _ZEROS:
        return _ZEROS[parameter["type"]]
    value: Any = False if parameter["dtype"] == "bool" else 0
    for size in reversed(parameter["shape"]):
        value = [value] * (size if isinstance(size, int) else SMALL)
    return value


def _entry(name: str, value: Any) -> str:
    text = _flow(value)
    if len(name) + len(text) > WIDTH and isinstance(value, list | dict) and value:
        text = "\n  " + ("[" if isinstance(value, list) else "{") + ",\n   ".join(_items(value)) + text[-1]
        return f"{name}:{text}\n"
    return f"{name}: {text}\n"


def _flow(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_items(value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(_items(value))}}}"
    if isinstance(value, str):
        return _WORDS.get(value) or json.dumps(value, ensure_ascii=False)
    return json.dumps(value)


def _items(value: list[Any] | dict[str, Any]) -> list[str]:
    if isinstance(value, list):
        return [_flow(item) for item in value]
    return [f"{_key(key)}: {_flow(item)}" for key, item in value.items()]


def _key(key: str) -> str:
    return key if key and set(key) <= _PLAIN else json.dumps(key, ensure_ascii=False)
