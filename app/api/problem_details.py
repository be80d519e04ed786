"""RFC 9457 problem details for every error, also for requests that can't be read or hold wrong values."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from app.api.error_code import (
    CODE_OF_STATUS,
    MEANINGS,
    Code,
    Fault,
    FieldFault,
    code_of,
    describe_package_fault,
    fault_of,
)
from app.api.field import RULED
from app.catalog.fault import MAX_FAULTS_SHOWN, PackageInvalid
from app.database.disk import DiskFull
from app.errors import AllcloseError, Invalid, LimitReached, join_sentences
from app.log import request_id
from app.validation import MAX_LENGTH_SHOWN, WrongValue

# By pydantic's kind of error: messages for a client that sends JSON, where pydantic's own are about Python.
_SENTENCES = {
    "missing": "is required",
    "extra_forbidden": "is not a field of this request. Remove it",
    "string_unicode": "contains a lone surrogate such as \\ud800, which UTF-8 can't express. Remove it",
    "model_attributes_type": "must be a JSON object",
    "model_type": "must be a JSON object",
}
# The most errors in one answer.
MAX_ERRORS = 20
_NOT_AN_OBJECT = {"model_attributes_type", "model_type"}
MEDIA_TYPE = "application/problem+json"
# The most characters of the path in an answer; a request's path may be longer.
MAX_PATH = 2000
RETRY_AFTER_SECONDS = 5
FULL_DISK_RETRY_SECONDS = 60
# Sentences that replace the framework's bare phrases.
_ADVICE = {
    HTTPStatus.NOT_FOUND.phrase: "There is nothing at this path. GET /api/v1/openapi.json lists all paths.",
    HTTPStatus.METHOD_NOT_ALLOWED.phrase: "This path does not accept the method. The header Allow lists its methods.",
}


def describe_validation(error: RequestValidationError) -> Fault:
    """Return a 400 for a body that is not JSON, 415 for another Content-Type, 422 for wrong values."""
    every = error.errors()
    found = [dict(e) for e in every[:MAX_ERRORS]]
    if found and found[0]["type"] == "json_invalid":
        return _malformed(str(error.body), found[0])
    if isinstance(error.body, bytes) and any(e["type"] in _NOT_AN_OBJECT for e in found):
        return fault_of(
            Code.MEDIA_TYPE_NOT_TAKEN,
            "The Content-Type is not JSON. Send the body with Content-Type: application/json.",
        )
    fields = tuple(FieldFault(field=_name(e["loc"]), message=_sentence(e)) for e in found)
    detail = join_sentences(_say(e, fault) for e, fault in zip(found, fields, strict=True))
    if more := len(every) - len(found):
        detail += f" There are {more} more errors. Correct these first to see the others."
    return fault_of(Code.INVALID, detail, fields)


def describe_unreadable(cause: BaseException | None) -> Fault:
    """Return a 400 for a body that could not be parsed as JSON at all."""
    if isinstance(cause, UnicodeDecodeError):
        detail = f"The body is not UTF-8: {cause.reason} at byte {cause.start}. Encode it as UTF-8."
    elif isinstance(cause, RecursionError):
        detail = "The body's JSON is nested too deeply. Send a plain object."
    else:
        detail = "The body can't be read as JSON. Send a JSON object in UTF-8."
    return fault_of(Code.BODY_UNREADABLE, detail)


def _malformed(document: str, error: Mapping[str, Any]) -> Fault:
    position = int(error["loc"][-1])
    where = json.JSONDecodeError("", document, position)
    reason = error["ctx"]["error"]
    return fault_of(
        Code.BODY_UNREADABLE,
        f"The body is not JSON: {reason} at line {where.lineno}, column {where.colno} (character {position}).",
    )


def _name(location: tuple[int | str, ...]) -> str:
    inside = location[1:] if len(location) > 1 else location
    return _short("/".join(str(part) for part in inside))


def _say(error: Mapping[str, Any], fault: FieldFault) -> str:
    return fault.message if error["type"] == RULED else f"{fault.field} {fault.message}"


def _sentence(error: Mapping[str, Any]) -> str:
    known = _SENTENCES.get(error["type"])
    if known is not None:
        return known
    wrong = WrongValue.of(error)
    if error["type"] == RULED or "password" in wrong.place or not isinstance(wrong.value, str | int | float | None):
        return wrong.reason
    return f"is {_short(json.dumps(wrong.value))}: {wrong.reason}"


def _short(text: str) -> str:
    return text if len(text) <= MAX_LENGTH_SHOWN else text[:MAX_LENGTH_SHOWN] + "…"


class ProblemDetails(BaseModel):
    """An error in the format of RFC 9457. `detail` says what is wrong and what to do next."""

    type: str = Field(
        "about:blank", description="always about:blank: the status and `code` say what kind of error it is"
    )
    title: str = Field(description="the status in words")
    status: int = Field(ge=400, le=599)
    code: Code = Field(
        description="the kind of error, for programs; its meaning never changes:\n\n"
        + "\n".join(f"- {each.status} `{code}`: {each.says}" for code, each in MEANINGS.items())
    )
    detail: str = Field(description="what is wrong and what to do, for people")
    instance: str = Field(description="the path of the request")
    errors: list[FieldFault] | None = Field(None, description="for status 422: the wrong fields")
    request_id: str | None = Field(None, description="identifies the request in the server's log; give it to an admin")


def describe(error: Exception) -> Fault:
    """Return the fault for an error of any class. An unforeseen error's text is never shown."""
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
    # The client's names may contain lone surrogates, which only an escape can express.
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
        return tuple(describe_package_fault(fault) for fault in error.problems[:MAX_FAULTS_SHOWN])
    each = error.each if isinstance(error, Invalid) else ()
    return tuple(FieldFault(field=one.field, message=str(one)) for one in each)


def _detail(error: Exception, code: Code) -> str:
    if isinstance(error, AllcloseError) and code is not Code.FAILED:
        return str(error)
    if code is Code.DATABASE_AWAY:
        return "The database does not answer. Send the request again in a few seconds."
    return "An internal error happened and was logged. Send the request again, and tell an admin if it fails again."


def _headers(error: Exception, status: HTTPStatus) -> dict[str, Any]:
    if status is HTTPStatus.UNAUTHORIZED:
        return {"WWW-Authenticate": 'Bearer realm="allclose"'}
    if isinstance(error, LimitReached):
        return {"Retry-After": str(error.retry_seconds)}
    if status is HTTPStatus.SERVICE_UNAVAILABLE:
        return {"Retry-After": str(FULL_DISK_RETRY_SECONDS if isinstance(error, DiskFull) else RETRY_AFTER_SECONDS)}
    return {}
