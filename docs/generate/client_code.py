"""Generates the Python client: a model for each schema, and a method for each operation."""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from docs.generate.document import EVENTS, JSON, Document, Operation, list_operations, model_of

BIN = Path(sys.executable).parent
MARK = '"""Made from the OpenAPI document by `make api`; not edited by hand."""\n\n'
# The server checks the bounds of values. Those of a newer server may differ.
_LEFT_OUT = {
    "title",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minItems",
    "maxItems",
    "multipleOf",
    "examples",
    "propertyNames",
}
_OPTIONS = (
    "--input-file-type=openapi",
    "--output-model-type=pydantic_v2.BaseModel",
    "--base-class=app.client.answer.Answer",
    "--target-python-version=3.11",
    "--enum-field-as-literal=all",
    "--collapse-root-models",
    "--use-schema-description",
    "--output-datetime-class=datetime",
    "--disable-timestamp",
    "--use-union-operator",
    "--strict-nullable",
    "--formatters=ruff-format",
)
_TYPE_OF_FORMAT = {"uuid": "UUID", "date-time": "datetime", "binary": "bytes"}
_TYPE_OF_KIND = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
_environment = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    autoescape=False,  # source code, not HTML
)


def write_models(document: Document) -> str:
    schemas = document["components"]["schemas"]
    slim = {**document, "paths": {}, "components": {"schemas": _slim_each(_objects(schemas), schemas)}}
    with TemporaryDirectory() as folder:
        given, made = Path(folder) / "openapi.json", Path(folder) / "model.py"
        given.write_text(json.dumps(slim))
        subprocess.run([BIN / "datamodel-codegen", f"--input={given}", f"--output={made}", *_OPTIONS], check=True)
        code = made.read_text()
    return _format(MARK + "\n".join(line for line in code.splitlines() if not line.startswith("#")), "model.py")


def _objects(schemas: dict[str, Any]) -> dict[str, Any]:
    return {name: schema for name, schema in schemas.items() if "enum" not in schema}


def write_calls(document: Document) -> dict[str, str]:
    """Return the code by file: one file for each tag, and one that combines them."""
    slim = {**document, "paths": _slim_each(document["paths"], document["components"]["schemas"])}
    tags = [tag["name"] for tag in document["tags"] if any(list_operations(document, tag["name"]))]
    template = _environment.get_template("calls.py.jinja")
    files = {
        tag: template.render(mark=MARK, name=_class(tag), calls=[_method(each) for each in list_operations(slim, tag)])
        for tag in tags
    }
    files["__init__"] = _environment.get_template("calls_init.py.jinja").render(
        mark=MARK, parts=[(tag.replace("-", "_"), _class(tag)) for tag in tags]
    )
    names = {tag: f"calls/{tag.replace('-', '_')}.py" for tag in files}
    return {f"app/client/{names[tag]}": _format(code, names[tag]) for tag, code in files.items()}


def _class(tag: str) -> str:
    return "".join(word.capitalize() for word in tag.replace("-", "_").split("_")) + "Calls"


def _method(operation: Operation) -> dict[str, Any]:
    """Return the template's variables for one operation."""
    body, answer = operation.body, operation.answer
    is_json = JSON in body
    arguments = [(_python(each["name"]), _annotate(each["schema"])) for each in operation.parameters("path")]
    if body:
        arguments.append(("body", _annotate(body[JSON]["schema"]) if is_json else "bytes"))
    if body and not is_json:
        arguments.append(("content_type", f"Literal[{', '.join(map(repr, body))}]"))
    options = [each for place in ("query", "header") for each in operation.parameters(place)]
    return {
        "operation": operation,
        "arguments": arguments,
        "options": [(_python(each["name"]), _optional(each)) for each in options],
        "path": [_python(each["name"]) for each in operation.parameters("path")],
        "query": [(each["name"], _python(each["name"])) for each in operation.parameters("query")],
        "headers": [(each["name"], _python(each["name"])) for each in operation.parameters("header")],
        "is_json": is_json,
        "kind": _kind(operation),
        "model": _model(answer[JSON]["schema"]) if JSON in answer else None,
        "again": operation.spec["x-sent-again"],
    }


def _kind(operation: Operation) -> str:
    """Return how the answer is read: `object`, `nothing`, `events` or `bytes`."""
    answer = operation.answer
    if not answer:
        return "nothing"
    if EVENTS in answer:
        return "events"
    return "object" if "$ref" in answer.get(JSON, {}).get("schema", {}) else "bytes"


def _model(schema: dict[str, Any]) -> str | None:
    return model_of(schema) if "$ref" in schema else None


def _annotate(schema: dict[str, Any]) -> str:
    """Return the annotation of a parameter. A UUID may also be passed as text."""
    if "$ref" in schema:
        return "model." + model_of(schema)
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_annotate(each) for each in schema["anyOf"]))
    if "enum" in schema:
        return f"Literal[{', '.join(map(repr, schema['enum']))}]"
    if "const" in schema:
        return f"Literal[{schema['const']!r}]"
    if schema.get("type") == "null":
        return "None"
    if schema.get("type") == "array":
        return f"list[{_annotate(schema['items'])}]"
    if schema.get("format") == "uuid":
        return "UUID | str"
    return _TYPE_OF_FORMAT.get(schema.get("format", ""), _TYPE_OF_KIND.get(schema.get("type", ""), "Any"))


def _optional(parameter: dict[str, Any]) -> str:
    annotation = _annotate(parameter["schema"])
    return annotation if annotation.endswith("None") else f"{annotation} | None"


def _python(name: str) -> str:
    return name.lower().replace("-", "_")


def _slim(value: Any, schemas: dict[str, Any]) -> Any:
    """Remove bounds and titles, put enumerations where they are used, and declare secrets as text."""
    if isinstance(value, list):
        return [_slim(each, schemas) for each in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value and "enum" in schemas.get(model_of(value), {}):
        return {"enum": schemas[model_of(value)]["enum"], "type": "string"}
    if value.get("format") == "password":
        value = {name: spec for name, spec in value.items() if name not in ("format", "writeOnly")}
    if "patternProperties" in value:
        [of_any_name] = value["patternProperties"].values()
        value = {"type": "object", "additionalProperties": of_any_name}
    return {
        name: _slim_each(spec, schemas) if name == "properties" else _slim(spec, schemas)
        for name, spec in value.items()
        if name not in _LEFT_OUT and (name, spec) != ("additionalProperties", False)
    }


def _slim_each(named: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    """Slim the values only: a name such as the property `title` stays."""
    return {name: _slim(spec, schemas) for name, spec in named.items()}


def _format(code: str, name: str) -> str:
    """Format the code and remove unused imports."""
    file = f"--stdin-filename=app/client/{name}"
    for command in (("check", "--fix", "--quiet", "--select=I,F401,UP", file, "-"), ("format", "--quiet", file, "-")):
        done = subprocess.run([BIN / "ruff", *command], input=code, capture_output=True, text=True)
        code = done.stdout
    return code
