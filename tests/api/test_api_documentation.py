"""The API's documentation is complete: texts, examples, the effect of sending a request again, and the client."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from app.api.openapi import POSTS, TAGS
from tests.api.operations import DOCUMENT, JSON, OPERATIONS

ROOT = Path(__file__).parents[2]
EXAMPLES = {file.stem for file in (ROOT / "app/api/example").glob("*.json")}


def objects() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the JSON content of each request and of each successful answer."""
    for operation in OPERATIONS:
        for part, content in (("request", operation.body), ("answer", operation.answer)):
            if JSON in content and "$ref" in content[JSON]["schema"]:
                yield f"{operation.name} {part}", content[JSON]


def validator(schema: dict[str, Any]) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator({**schema, "components": DOCUMENT["components"]}, validate_formats=True)


def test_every_operation_has_a_summary_and_a_tag_that_has_a_text() -> None:
    assert [each.name for each in OPERATIONS if not each.spec.get("summary")] == []
    assert {each.tag for each in OPERATIONS} <= set(TAGS)
    assert len({each.name for each in OPERATIONS}) == len(OPERATIONS)


def test_every_post_says_what_a_second_one_does() -> None:
    assert {each.name for each in OPERATIONS if each.method == "POST"} == set(POSTS)


def test_every_body_and_every_answer_has_an_example() -> None:
    lacking = [name for name, content in objects() if "example" not in content]

    assert lacking == []
    assert {each.name for each in OPERATIONS} >= EXAMPLES


@pytest.mark.parametrize(("name", "content"), list(objects()), ids=[name for name, _ in objects()])
def test_an_example_fits_its_schema(name: str, content: dict[str, Any]) -> None:  # noqa: ARG001
    errors = [error.message for error in validator(content["schema"]).iter_errors(content["example"])]

    assert errors == []


def test_names_of_objects_are_words() -> None:
    assert [name for name in DOCUMENT["components"]["schemas"] if not name.isalnum()] == []


def test_examples_hold_no_secret_that_works() -> None:
    examples = json.dumps([content.get("example") for _, content in objects()])

    assert "alc_" in examples
    assert "argon2" not in examples
