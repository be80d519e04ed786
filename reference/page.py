"""The pages: docs/api.md of the document, docs/rights.md of the table of rights."""

import json
from http import HTTPStatus
from pathlib import Path
from shlex import quote
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app.accounts.permission import ADMINS, AUTHORS, EVERYBODY, RULES
from app.api.error_code import MEANINGS
from reference.document import JSON, Document, Operation, list_operations
from reference.words import describe, one_line

SERVER = "https://judge.example"
# Every call can answer so; the introduction says it once.
EVERYWHERE = {422, 429, 500, 503}
OF_BODIES = {400, 413, 415}
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
        "describe": lambda schema: describe(schema, schemas),
        "one_line": one_line,
        "fields": lambda schema: list_fields(schema, schemas),
        "schemas": {name: schema for name, schema in sorted(schemas.items()) if "properties" in schema},
        "curl": write_curl,
        "example": write_example,
        "json": JSON,
        "phrase": lambda status: HTTPStatus(int(status)).phrase,
    }
    return _environment.get_template("api.md.jinja").render(context)


def write_rights(document: Document) -> str:
    operations = list(list_operations(document))
    needing = {right: [each for each in operations if each.right is right] for right in RULES}
    context = {
        "rules": RULES,
        "roles": (EVERYBODY[0], AUTHORS[0], ADMINS[0]),
        "needing": needing,
        "open": [each for each in operations if each.right is None],
    }
    return _environment.get_template("rights.md.jinja").render(context)


def list_fields(schema: dict[str, Any], schemas: dict[str, Any]) -> list[dict[str, str]]:
    """Of an object, or of the one that it refers to."""
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rpartition("/")[2]]
    needed = schema.get("required", ())
    return [
        {
            "name": name,
            "kind": describe(said, schemas),
            "is_needed": "yes" if name in needed else "",
            "says": one_line(said.get("description", "")),
        }
        for name, said in schema.get("properties", {}).items()
    ]


def write_curl(operation: Operation) -> str:
    """With the examples of the document, as somebody would type it."""
    lines = [f"curl {'' if operation.method == 'GET' else f'-X {operation.method} '}{quote(SERVER + _path(operation))}"]
    if operation.right is not None and not operation.is_open:
        lines.append('-H "Authorization: Bearer $TOKEN"')
    if operation.body:
        kind = next(iter(operation.body))
        lines.append(f'-H "Content-Type: {kind}"')
        example = operation.body[kind].get("example")
        lines.append(
            f"--data {quote(json.dumps(example, ensure_ascii=False))}" if example is not None else "--data-binary @FILE"
        )
    return " \\\n     ".join(lines)


def write_example(operation: Operation) -> str:
    example = operation.answer.get(JSON, {}).get("example")
    return "" if example is None else json.dumps(example, indent=2, ensure_ascii=False)


def _path(operation: Operation) -> str:
    path = operation.path
    for parameter in operation.parameters("path"):
        examples = parameter["schema"].get("examples") or parameter.get("examples") or [parameter["name"].upper()]
        path = path.replace(f"{{{parameter['name']}}}", str(examples[0]))
    return path


def _list_errors(operation: Operation) -> str:
    """The statuses that not every such call has anyway."""
    usual = EVERYWHERE | (OF_BODIES if operation.body else set()) | ({401, 403} if operation.right else set())
    return ", ".join(str(status) for status in operation.errors if status not in usual)
