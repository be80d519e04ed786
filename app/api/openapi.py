"""The OpenAPI document: FastAPI's, with problem details where FastAPI has its own form of errors."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse
from pydantic.json_schema import models_json_schema

from app.api.problem_details import MEDIA_TYPE, ProblemDetails

router = APIRouter()
Responses = dict[int | str, dict[str, Any]]

# The `openapi_extra=` of an endpoint that tells more with a token, and answers without one.
OPEN_TO_ALL: dict[str, Any] = {"security": [{}]}

_DESCRIPTIONS = {
    400: "The body is not JSON in UTF-8; `detail` says where",
    401: "No token, or one that does not work; or a wrong user name or password",
    403: "Not for your role; `detail` says who may",
    404: "It does not exist, or is not yours to see",
    409: "It clashes with what is there already",
    412: "The problem is not as the request says it is",
    413: "The body is too large",
    415: "The body is not marked as what is taken here",
    422: "A value is not allowed; `errors` names each field",
    429: "Too many requests or unfinished submissions; `Retry-After` says when to try again",
    500: "Something failed on our side",
    503: "The database does not answer; `Retry-After` says when to try again",
}
_HEADERS = {401: ["WWW-Authenticate"], 429: ["Retry-After"], 503: ["Retry-After"]}
_ALWAYS = (500, 503)
_THROTTLED = (429,)
_WITH_BODY = (400, 413, 415)
_REFERENCE = "#/components/schemas/ProblemDetails"


# Of a file with a record in each line.
EXPORT: dict[str, Any] = {
    "description": "A record in each line. In CSV, a text that a spreadsheet would run has an apostrophe before it.",
    "content": {media: {"schema": {"type": "string"}} for media in ("application/x-ndjson", "text/csv; charset=utf-8")},
}


def problems(*statuses: int) -> Responses:
    """The `responses=` of an endpoint that can answer with these errors, besides those that every one can."""
    return {status: {"description": _DESCRIPTIONS[status]} for status in statuses}


@router.get("/openapi.json", include_in_schema=False)
def get_document(request: Request) -> JSONResponse:
    app: FastAPI = request.app
    app.openapi_schema = app.openapi_schema or build_openapi(app)
    return JSONResponse(app.openapi_schema)


def build_openapi(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(
        title="Allclose", version="1", routes=app.routes, description=_INTRODUCTION, license_info=_LICENSE
    )
    for operation in _operations(document):
        _describe_errors(operation)
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    schemas.pop("HTTPValidationError", None)
    schemas.pop("ValidationError", None)
    _, own = models_json_schema([(ProblemDetails, "serialization")], ref_template="#/components/schemas/{model}")
    schemas.update(own["$defs"])
    return document


_INTRODUCTION = """An online judge for numerical and machine-learning code.

Sign up with `POST /api/v1/users`, get a token with `POST /api/v1/tokens`, and send it as `Authorization: Bearer alc_…`.
Every error is a problem details object (RFC 9457) whose `detail` says what to do."""
_LICENSE = {"name": "Apache-2.0", "identifier": "Apache-2.0"}


def _operations(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in document["paths"].values():
        yield from path.values()


def _describe_errors(operation: dict[str, Any]) -> None:
    responses = operation["responses"]
    is_throttled, has_body = operation["tags"] != ["health"], "requestBody" in operation
    for status in _ALWAYS + (_THROTTLED if is_throttled else ()) + (_WITH_BODY if has_body else ()):
        responses.setdefault(str(status), {"description": _DESCRIPTIONS[status]})
    for status, response in responses.items():
        if status >= "400":
            response["content"] = {MEDIA_TYPE: {"schema": {"$ref": _REFERENCE}, "example": _example(int(status))}}
            response["headers"] = {name: {"schema": {"type": "string"}} for name in _HEADERS.get(int(status), ())}
    operation["responses"] = dict(sorted(responses.items()))


def _example(status: int) -> dict[str, Any]:
    return {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": _DESCRIPTIONS[status],
        "instance": "/api/v1/…",
    }
