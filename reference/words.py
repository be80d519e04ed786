"""A schema of the document in words: what kind of value, and its limits."""

from typing import Any

from reference.annotation import model_of

_KINDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "`true` or `false`",
    "null": "null",
}
_FORMATS = {"uuid": "UUID", "date-time": "time", "date": "day", "binary": "bytes", "password": "text"}


def describe(schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    """In one line of Markdown, for a cell of a table."""
    if "$ref" in schema:
        name = model_of(schema)
        if "enum" in schemas[name]:
            return describe(schemas[name], schemas)
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema or "oneOf" in schema:
        kinds = [describe(each, schemas) for each in schema.get("anyOf") or schema["oneOf"]]
        return " or ".join(dict.fromkeys(kinds))
    if "enum" in schema or "const" in schema:
        return " or ".join(f"`{each}`" for each in schema.get("enum") or [schema["const"]])
    if schema.get("type") == "array":
        return f"list of {describe(schema.get('items', {}), schemas)}{_bounds(schema, 'Items', 'items')}"
    if isinstance(said := schema.get("additionalProperties"), dict):
        return f"object of {describe(said, schemas)}"
    return _describe_plain(schema)


def _describe_plain(schema: dict[str, Any]) -> str:
    kind = _FORMATS.get(schema.get("format", "")) or _KINDS.get(schema.get("type", ""), "any value")
    pattern = f", `{schema['pattern']}`" if "pattern" in schema else ""
    text = kind + _bounds(schema, "Length", "characters") + _range(schema) + pattern
    return text.replace("|", "\\|")


def _bounds(schema: dict[str, Any], what: str, unit: str) -> str:
    least, most = schema.get(f"min{what}"), schema.get(f"max{what}")
    if least is not None and most is not None:
        return f", {least} to {most} {unit}"
    return f", at most {most} {unit}" if most is not None else f", at least {least} {unit}" if least is not None else ""


def _range(schema: dict[str, Any]) -> str:
    least, most = (_plain(schema.get(end)) for end in ("minimum", "maximum"))
    if least is not None and most is not None:
        return f", {least} to {most}"
    return f", at most {most}" if most is not None else f", at least {least}" if least is not None else ""


def _plain(bound: float | None) -> float | None:
    """The document writes every bound with a decimal point."""
    return int(bound) if bound is not None and float(bound).is_integer() else bound


def one_line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
