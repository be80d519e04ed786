"""The OpenAPI document: FastAPI's, with one description of all errors."""

from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse
from pydantic.json_schema import models_json_schema

from app.api.problem_details import MEDIA_TYPE, ProblemDetails

# In the order of the page that shows all calls.
TAGS = (
    "users",
    "tokens",
    "problems",
    "tracks",
    "submissions",
    "courses",
    "authors",
    "rejudging",
    "operations",
    "administration",
    "health",
)
# The `openapi_extra=` of an endpoint that needs no token, but answers with more when there is one.
OPEN_TO_ALL: dict[str, Any] = {"security": [{}]}
_SCHEMAS = "#/components/schemas"
# Every call can fail; `code` says how.
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"description": says, "content": {MEDIA_TYPE: {"schema": {"$ref": f"{_SCHEMAS}/ProblemDetails"}}}}
    for status, says in (("4XX", "The request is refused"), ("5XX", "The server can't answer now"))
}
# The answer of an export: a file with a record in each line.
EXPORT: dict[str, Any] = {
    "description": "A record in each line. In CSV, an apostrophe precedes a text that a spreadsheet would run.",
    "content": {media: {"schema": {"type": "string"}} for media in ("application/x-ndjson", "text/csv; charset=utf-8")},
}

router = APIRouter()


def locates(what: str) -> dict[str, Any]:
    """Return what `responses=` says of a status whose answers have the header Location."""
    return {"headers": {"Location": {"description": what, "schema": {"type": "string"}, "required": True}}}


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
        description="The page [REST in ten calls](/help/api) has the rules that hold for every call.",
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        tags=[{"name": tag} for tag in TAGS],
    )
    _, errors = models_json_schema([(ProblemDetails, "serialization")], ref_template=f"{_SCHEMAS}/{{model}}")
    document["components"]["schemas"] |= errors["$defs"]
    return document
