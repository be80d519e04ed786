"""The JSON Schema that editors fetch."""

import httpx
import jsonschema_rs


def test_the_schema_is_published_to_all_and_may_be_kept(address: str) -> None:
    answered = httpx.get(f"{address}/schema/problem.json")

    assert answered.status_code == 200
    assert "public" in answered.headers["Cache-Control"]
    assert answered.headers["Access-Control-Allow-Origin"] == "*"
    assert not jsonschema_rs.validator_for(answered.json()).is_valid({"title": "No problem"})
