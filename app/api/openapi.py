"""The OpenAPI document: FastAPI's, with our errors, examples, and what a repeated request does.

A client may repeat a request whose answer was lost, and nothing happens twice unnoticed. GET changes nothing. PUT,
PATCH and DELETE are idempotent. A POST is safe by what it does, safe with an idempotency key, or not safe at all.
"""

import json
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any, Literal

from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse
from pydantic.json_schema import models_json_schema

from app.api.error_code import MEANINGS, codes_of
from app.api.problem_details import MEDIA_TYPE, ProblemDetails

Again = Literal["safe", "key", "unsafe"]

KEY = "Idempotency-Key"

# By operation: what a second, equal request does.
POSTS: dict[str, str] = {
    "create_user": "A second request is a 409, since the name is taken.",
    "create_token": "A second request makes another token. Revoke the one whose secret you never saw.",
    "reveal_hint": "The number names the hint, and a revealed hint stays revealed.",
    "answer_question": "The same answer changes nothing; a different one is a 409.",
    "retake_quiz": "An attempt without an answer continues.",
    "show_solution": "The solution stays open.",
    "create_question": "The same text within an hour is the same question.",
    "create_answer": "The same text within an hour is the same answer.",
    "decide_on_post": "The same decision changes nothing.",
    "decide_on_shared_solution": "The same decision changes nothing.",
    "publish_revision": "The revision stays the current one.",
    "publish_verification": "The package stays published.",
    "cancel_verification": "A finished verification does not change.",
    "submit": "The same `Idempotency-Key` gives the same submission; without a key, you make another one.",
    "cancel_submission": "A finished submission does not change.",
    "copy_submission": "The editor keeps the same source.",
    "create_invitation": "A second request makes another invitation. Revoke the one whose link you never saw.",
    "ask_for_password": "A second request sends another link, a third within 30 minutes none; each works once.",
    "make_reset_link": "A second request makes another link; each works once.",
    "preview_rejudging": "It changes nothing.",
    "create_rejudging": "The same `Idempotency-Key` gives the same rejudging; without a key, you make another one.",
    "apply_rejudging": "The rejudging stays applied.",
    "cancel_rejudging": "The rejudging stays cancelled.",
    "drain_worker": "The worker stays drained.",
    "resume_worker": "The worker keeps taking judgings; one that was `away` no longer exists (404).",
}
_UNSAFE = {
    *("create_token", "create_invitation", "ask_for_password", "make_reset_link"),
}
_BY_KEY = {"submit", "create_rejudging"}
# The `openapi_extra=` of an endpoint that needs no token, but answers with more when there is one.
OPEN_TO_ALL: dict[str, Any] = {"security": [{}]}
_HEADERS = {401: ["WWW-Authenticate"], 429: ["Retry-After"], 503: ["Retry-After"]}
# Requests that Allclose counts have these in every answer.
RATE_LIMIT: dict[str, Any] = {
    name: {"description": says, "schema": {"type": "string", "pattern": "^[0-9]+$"}}
    for name, says in (
        ("X-RateLimit-Limit", "the requests that you, or without a valid token your network, may send per minute"),
        ("X-RateLimit-Remaining", "how many of them are left"),
        ("X-RateLimit-Reset", "when the oldest counted request is forgotten, in seconds since 1970"),
    )
}
_ALWAYS = (500, 503)
# For all but the health calls: a query parameter may be unknown, and there may be too many requests.
_OF_REST = (422, 429)
_WITH_BODY = (400, 413, 415)
_WITH_RIGHT = (401, 403)
_REFERENCE = "#/components/schemas/ProblemDetails"
_JSON = "application/json"
_TEXT = Path(__file__).parent / "text"
_EXAMPLES = Path(__file__).parent / "example"
# In the order of the reference. Each tag has a text with its name.
TAGS = (
    "users",
    "tokens",
    "sessions",
    "problems",
    "tracks",
    "submissions",
    "learning",
    "discussions",
    "authors",
    "people",
    "invitations",
    "rejudging",
    "operations",
    "administration",
    "health",
)
# The answer of an export: a file with a record in each line.
EXPORT: dict[str, Any] = {
    "description": "A record in each line. In CSV, an apostrophe precedes a text that a spreadsheet would run.",
    "content": {media: {"schema": {"type": "string"}} for media in ("application/x-ndjson", "text/csv; charset=utf-8")},
}


def again(method: str, operation_id: str) -> Again:
    if method != "POST":
        return "safe"
    if operation_id in _BY_KEY:
        return "key"
    return "unsafe" if operation_id in _UNSAFE or operation_id not in POSTS else "safe"


router = APIRouter()
Responses = dict[int | str, dict[str, Any]]


def locates(what: str) -> dict[str, Any]:
    """Return what `responses=` says of a status whose answers have the header Location."""
    return {"headers": {"Location": {"description": what, "schema": {"type": "string"}, "required": True}}}


def problems(*statuses: int) -> Responses:
    """Return the `responses=` of an endpoint with these errors, besides those that every endpoint has."""
    return {status: {"description": _describe(status)} for status in statuses}


@router.get("/openapi.json", include_in_schema=False)
def get_document(request: Request) -> JSONResponse:
    app: FastAPI = request.app
    app.openapi_schema = app.openapi_schema or build_openapi(app)
    return JSONResponse(app.openapi_schema)


def build_openapi(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(
        title="Allclose",
        version="1",
        routes=app.routes,
        description=(_TEXT / "introduction.md").read_text(),
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        tags=[{"name": tag, "description": (_TEXT / f"{tag}.md").read_text()} for tag in TAGS],
    )
    document.setdefault("components", {})["headers"] = RATE_LIMIT
    for method, operation in _operations(document):
        _describe_errors(operation)
        _describe_headers(operation)
        _say_what_again_does(method, operation)
        _give_examples(operation)
        if method == "GET":
            _name_the_tag(operation)
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    schemas.pop("HTTPValidationError", None)
    schemas.pop("ValidationError", None)
    _, own = models_json_schema([(ProblemDetails, "serialization")], ref_template="#/components/schemas/{model}")
    schemas.update(own["$defs"])
    return document


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in document["paths"].values():
        for method, operation in path.items():
            yield method.upper(), operation


def _describe(status: int) -> str:
    """Describe every code that has this status."""
    return "; ".join(f"`{code}`: {MEANINGS[code].says}" for code in codes_of(status))


def _describe_errors(operation: dict[str, Any]) -> None:
    responses = operation["responses"]
    is_rest, has_body = operation["tags"] != ["health"], "requestBody" in operation
    added = _ALWAYS + (_OF_REST if is_rest else ()) + (_WITH_BODY if has_body else ())
    for status in added + (_WITH_RIGHT if operation.get("security") else ()):
        responses.setdefault(str(status), {"description": _describe(status)})
    for status, response in responses.items():
        if status >= "400":
            response["content"] = {MEDIA_TYPE: {"schema": {"$ref": _REFERENCE}, "example": _example(int(status))}}
            response["headers"] = {name: {"schema": {"type": "string"}} for name in _HEADERS.get(int(status), ())}
    operation["responses"] = dict(sorted(responses.items()))


def _describe_headers(operation: dict[str, Any]) -> None:
    """Add the headers of the rate limit to counted answers."""
    if operation["tags"] != ["health"]:
        counted = {name: {"$ref": f"#/components/headers/{name}"} for name in RATE_LIMIT}
        for response in operation["responses"].values():
            response["headers"] = response.get("headers", {}) | counted


def _example(status: int) -> dict[str, Any]:
    code = codes_of(status)[-1]
    return {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": MEANINGS[code].says,
        "instance": "/api/v1/…",
    }


def _say_what_again_does(method: str, operation: dict[str, Any]) -> None:
    name = operation["operationId"]
    operation["x-sent-again"] = again(method, name)
    if method == "POST":
        said = (operation.get("description", ""), f"Retry: {POSTS.get(name, 'A second request acts again.')}")
        operation["description"] = "\n\n".join(filter(None, said))


def _give_examples(operation: dict[str, Any]) -> None:
    """Add the `request` and the `answer` of the file named after the operation."""
    file = _EXAMPLES / f"{operation['operationId']}.json"
    given = json.loads(file.read_text()) if file.is_file() else {}
    for part, content in (("request", _body(operation)), ("answer", _answer(operation))):
        if _JSON in content and part in given:
            content[_JSON]["example"] = given[part]


def _body(operation: dict[str, Any]) -> dict[str, Any]:
    content: dict[str, Any] = operation.get("requestBody", {}).get("content", {})
    return content


def _answer(operation: dict[str, Any]) -> dict[str, Any]:
    """Return the content of the successful answer."""
    good = next(response for status, response in operation["responses"].items() if status < "300")
    content: dict[str, Any] = good.get("content", {})
    return content


def _name_the_tag(operation: dict[str, Any]) -> None:
    good = operation["responses"].get("200", {})
    if set(good.get("content", ())) == {_JSON}:
        headers = good.setdefault("headers", {})
        headers["ETag"] = {"description": "for If-None-Match and If-Match", "schema": {"type": "string"}}
