"""A schema of the document as the annotation of a parameter."""

from typing import Any

_OF_FORMAT = {"uuid": "UUID", "date-time": "datetime", "binary": "bytes"}
_OF_TYPE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


def annotate(schema: dict[str, Any]) -> str:
    """Ids may be given as text too."""
    if "$ref" in schema:
        return "model." + model_of(schema)
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(annotate(each) for each in schema["anyOf"]))
    if "enum" in schema:
        return f"Literal[{', '.join(map(repr, schema['enum']))}]"
    if "const" in schema:
        return f"Literal[{schema['const']!r}]"
    if schema.get("type") == "null":
        return "None"
    if schema.get("type") == "array":
        return f"list[{annotate(schema['items'])}]"
    if schema.get("format") == "uuid":
        return "UUID | str"
    return _OF_FORMAT.get(schema.get("format", ""), _OF_TYPE.get(schema.get("type", ""), "Any"))


def model_of(schema: dict[str, Any]) -> str:
    return str(schema["$ref"]).rpartition("/")[2]
