"""The OpenAPI document has a summary and a tag for every call, and examples that its schemas allow."""

from collections.abc import Iterator
from typing import Any

import jsonschema_rs

from app.api.openapi import TAGS
from tests.api.operations import DOCUMENT, OPERATIONS


def fields() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, schema in DOCUMENT["components"]["schemas"].items():
        for field, spec in schema.get("properties", {}).items():
            yield f"{name}.{field}", spec


def is_valid(schema: dict[str, Any], value: Any) -> bool:
    whole = {**schema, "components": DOCUMENT["components"]}
    return jsonschema_rs.Draft202012Validator(whole, validate_formats=True).is_valid(value)


def test_every_operation_has_a_summary_and_a_tag_of_the_list() -> None:
    assert [each.name for each in OPERATIONS if not each.spec.get("summary")] == []
    assert {each.tag for each in OPERATIONS} <= set(TAGS)
    assert len({each.name for each in OPERATIONS}) == len(OPERATIONS)


def test_names_of_objects_are_words() -> None:
    assert [name for name in DOCUMENT["components"]["schemas"] if not name.isalnum()] == []


def test_examples_of_fields_fit_their_schemas() -> None:
    examples = [(name, spec, example) for name, spec in fields() for example in spec.get("examples", ())]

    assert len(examples) > 20
    assert [(name, example) for name, spec, example in examples if not is_valid(spec, example)] == []
