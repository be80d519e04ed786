"""Writes docs/api.md from the OpenAPI document, and docs/rights.md from the table of permissions."""

import json
from http import HTTPStatus
from pathlib import Path
from shlex import quote
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app.accounts.permission import ADMINS, AUTHORS, EVERYBODY, RULES
from app.api.error_code import MEANINGS
from docs.generate.document import JSON, Document, Operation, list_operations, model_of

SERVER = "https://judge.example"
# Every call can answer with these statuses. The introduction of docs/api.md lists them once.
EVERYWHERE = {422, 429, 500, 503}
OF_BODIES = {400, 413, 415}
_KINDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "`true` or `false`",
    "null": "null",
}
_FORMATS = {"uuid": "UUID", "date-time": "time", "date": "day", "binary": "bytes", "password": "text"}
_environment = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    autoescape=False,  # Markdown, not HTML
)


def write_api(document: Document) -> str:
    schemas = document["components"]["schemas"]
    context = {
        "introduction": document["info"]["description"].strip(),
        "tags": [(tag, list(list_operations(document, tag["name"]))) for tag in document["tags"]],
        "meanings": MEANINGS,
        "errors": _list_errors,
        "describe": lambda schema: _describe(schema, schemas),
        "one_line": _one_line,
        "fields": lambda schema: _list_fields(schema, schemas),
        "schemas": {name: schema for name, schema in sorted(schemas.items()) if "properties" in schema},
        "curl": _write_curl,
        "example": _write_example,
        "json": JSON,
        "phrase": lambda status: HTTPStatus(int(status)).phrase,
    }
    return _environment.get_template("api.md.jinja").render(context)


def write_rights(document: Document) -> str:
    operations = list(list_operations(document))
    needing = {permission: [each for each in operations if each.permission is permission] for permission in RULES}
    context = {
        "rules": RULES,
        "roles": (EVERYBODY[0], AUTHORS[0], ADMINS[0]),
        "needing": needing,
        "open": [each for each in operations if each.permission is None],
    }
    return _environment.get_template("rights.md.jinja").render(context)


def _list_fields(schema: dict[str, Any], schemas: dict[str, Any]) -> list[dict[str, str]]:
    """List the fields of an object, or of the object that the schema refers to."""
    if "$ref" in schema:
        schema = schemas[model_of(schema)]
    needed = schema.get("required", ())
    return [
        {
            "name": name,
            "kind": _describe(spec, schemas),
            "is_needed": "yes" if name in needed else "",
            "says": _one_line(spec.get("description", "")),
        }
        for name, spec in schema.get("properties", {}).items()
    ]


def _write_curl(operation: Operation) -> str:
    """Write the call as a curl command with the example of the document."""
    lines = [f"curl {'' if operation.method == 'GET' else f'-X {operation.method} '}{quote(SERVER + _path(operation))}"]
    if operation.permission is not None and not operation.is_open:
        lines.append('-H "Authorization: Bearer $TOKEN"')
    if operation.body:
        kind = next(iter(operation.body))
        lines.append(f'-H "Content-Type: {kind}"')
        example = operation.body[kind].get("example")
        lines.append(
            f"--data {quote(json.dumps(example, ensure_ascii=False))}" if example is not None else "--data-binary @FILE"
        )
    return " \\\n     ".join(lines)


def _write_example(operation: Operation) -> str:
    example = operation.answer.get(JSON, {}).get("example")
    return "" if example is None else json.dumps(example, indent=2, ensure_ascii=False)


def _path(operation: Operation) -> str:
    path = operation.path
    for parameter in operation.parameters("path"):
        examples = parameter["schema"].get("examples") or parameter.get("examples") or [parameter["name"].upper()]
        path = path.replace(f"{{{parameter['name']}}}", str(examples[0]))
    return path


def _list_errors(operation: Operation) -> str:
    """List the error statuses that are particular to this call."""
    usual = EVERYWHERE | (OF_BODIES if operation.body else set()) | ({401, 403} if operation.permission else set())
    return ", ".join(str(status) for status in operation.errors if status not in usual)


def _describe(schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    """Describe a schema in one line of Markdown: the kind of value and its limits."""
    if "$ref" in schema:
        name = model_of(schema)
        if "enum" in schemas[name]:
            return _describe(schemas[name], schemas)
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema or "oneOf" in schema:
        kinds = [_describe(each, schemas) for each in schema.get("anyOf") or schema["oneOf"]]
        return " or ".join(dict.fromkeys(kinds))
    if "enum" in schema or "const" in schema:
        return " or ".join(f"`{each}`" for each in schema.get("enum") or [schema["const"]])
    if schema.get("type") == "array":
        return f"list of {_describe(schema.get('items', {}), schemas)}{_bounds(schema, 'Items', 'items')}"
    if isinstance(spec := schema.get("additionalProperties"), dict):
        return f"object of {_describe(spec, schemas)}"
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
    """Return whole bounds as integers. The document writes every bound with a decimal point."""
    return int(bound) if bound is not None and float(bound).is_integer() else bound


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
