"""The JSON Schema of `problem.yaml`, for editors that complete and check while an author types."""

from typing import Any

from app.catalog.manifest import ProblemFile


def manifest_schema() -> dict[str, Any]:
    schema = ProblemFile.model_json_schema()
    value = schema["$defs"]["Value"]
    # A mapping with `draw` reads as a mapping too; only the reader's own check tells them apart.
    value["anyOf"] = value.pop("oneOf")
    for option in value["anyOf"]:
        if "additionalProperties" in option:
            option["not"] = {"anyOf": [{"required": ["draw"]}, {"required": ["array"]}]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema | {"title": "Allclose problem"}
