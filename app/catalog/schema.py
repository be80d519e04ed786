"""The JSON Schema of `problem.yaml`, with which editors complete and check what an author types."""

from typing import Any

from app.catalog.manifest import ProblemFile


def manifest_schema() -> dict[str, Any]:
    schema = ProblemFile.model_json_schema()
    value = schema["$defs"]["Value"]
    # A schema can't exclude draws and arrays from plain mappings by a tag, so `not` does it.
    value["anyOf"] = value.pop("oneOf")
    for option in value["anyOf"]:
        if "additionalProperties" in option:
            option["not"] = {"anyOf": [{"required": ["draw"]}, {"required": ["array"]}]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema | {"title": "Allclose problem"}
