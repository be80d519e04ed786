"""RFC 9457 problem details for every error."""

import json
from http import HTTPStatus
from typing import Any

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from app.accounts.throttle import TooOften
from app.api.bad_request import describe_unreadable, describe_validation
from app.api.error_code import CODE_OF_STATUS, MEANINGS, Code, code_of
from app.api.fault import Fault, FieldFault, describe_package_fault
from app.catalog.fault import MAX_SHOWN, PackageInvalid
from app.errors import AllcloseError, Invalid
from app.telemetry.context import request_id

MEDIA_TYPE = "application/problem+json"
# Of the path that was asked for, which may be as long as a request may be.
MAX_PATH = 2000
RETRY_AFTER_SECONDS = 5


# In place of the bare phrases of the framework.
_ADVICE = {
    HTTPStatus.NOT_FOUND.phrase: "there is nothing at this path; GET /api/v1/openapi.json lists those that exist",
    HTTPStatus.METHOD_NOT_ALLOWED.phrase: "this path does not take that method; the header Allow lists what it takes",
}


class ProblemDetails(BaseModel):
    """An error as RFC 9457 has it. `detail` says what was wrong and what to do next."""

    type: str = Field("about:blank", description="about:blank: the status says what kind of problem it is")
    title: str = Field(description="the status in words")
    status: int = Field(ge=400, le=599)
    code: Code = Field(description="what kind of error it is, for programs; it keeps its meaning")
    detail: str = Field(description="what was wrong and what to do, for people")
    instance: str = Field(description="the path that was asked for")
    errors: list[FieldFault] | None = Field(None, description="the fields that are wrong, for status 422")
    request_id: str | None = Field(None, description="names the request in the server's log; tell it to an admin")


def describe(error: Exception) -> Fault:
    """What to answer for an error of any class; nothing of an unforeseen one is shown."""
    if isinstance(error, RequestValidationError):
        return describe_validation(error)
    if isinstance(error, HTTPException):
        return _describe_http(error)
    code = code_of(type(error))
    status = MEANINGS[code].status
    return Fault(
        code=code,
        status=status,
        detail=_detail(error, code),
        fields=_fields(error),
        headers=_headers(error, status),
    )


def respond(request: Request, fault: Fault) -> Response:
    problem = ProblemDetails(
        title=fault.status.phrase,
        status=fault.status,
        code=fault.code,
        detail=_ADVICE.get(fault.detail, fault.detail),
        instance=request.url.path[:MAX_PATH],
        errors=list(fault.fields) or None,
        request_id=request_id.get(),
    )
    # Names sent by the client may hold lone surrogates, which only an escape can carry.
    body = json.dumps(problem.model_dump(exclude_none=True), ensure_ascii=True)
    return Response(body, fault.status, headers=dict(fault.headers), media_type=MEDIA_TYPE)


def _describe_http(error: HTTPException) -> Fault:
    status = HTTPStatus(error.status_code)
    if status is HTTPStatus.BAD_REQUEST and error.__cause__ is not None:
        return describe_unreadable(error.__cause__)
    code = CODE_OF_STATUS.get(status, Code.REQUEST_REFUSED)
    return Fault(code=code, status=status, detail=error.detail, headers=error.headers or {})


def _fields(error: Exception) -> tuple[FieldFault, ...]:
    if isinstance(error, PackageInvalid):
        return tuple(describe_package_fault(fault) for fault in error.problems[:MAX_SHOWN])
    each = error.each if isinstance(error, Invalid) else ()
    return tuple(FieldFault(field=one.field, message=str(one)) for one in each)


def _detail(error: Exception, code: Code) -> str:
    if isinstance(error, AllcloseError) and code is not Code.FAILED:
        return str(error)
    if code is Code.DATABASE_AWAY:
        return "the database does not answer at the moment; send the request again in a few seconds"
    return "something failed on our side and was logged; send the request again, and tell an admin if it stays so"


def _headers(error: Exception, status: HTTPStatus) -> dict[str, Any]:
    if status is HTTPStatus.UNAUTHORIZED:
        return {"WWW-Authenticate": 'Bearer realm="allclose"'}
    if isinstance(error, TooOften):
        return {"Retry-After": str(int(error.retry_after.total_seconds()))}
    if status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
        return {"Retry-After": str(RETRY_AFTER_SECONDS)}
    return {}
