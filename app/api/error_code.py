"""The stable error codes: one table maps an error's class to its code, another a code to its status and meaning.

Programs go by `code`, people by `detail`. A code never changes its meaning. The OpenAPI document lists them. A
`Fault` is an error as HTTP answers it: code, status, sentence, and perhaps fields and headers, but not yet a body.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from http import HTTPStatus

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolExhausted

from app.accounts.permission import PermissionMissing
from app.accounts.sign_in import SignInFailed
from app.admin.settings import RemovalUnconfirmed
from app.catalog import fault as catalog
from app.catalog.custom_inputs import InputsInvalid
from app.catalog.fault import PackageInvalid
from app.courses.due import AssignmentOpen
from app.database.cursor import CursorInvalid
from app.database.disk import DiskFull
from app.errors import (
    AllcloseError,
    Conflict,
    Invalid,
    LimitReached,
    NotFound,
    Outdated,
    ProblemNotFound,
    Refused,
)
from app.learning.solution import SolutionLocked
from app.limits import RateLimitReached


class NotSignedIn(AllcloseError):
    """The request needs a token and has no valid one."""


class NotReady(AllcloseError):
    """The service can't answer yet; the text says why."""


class Code(StrEnum):
    BODY_UNREADABLE = "body_unreadable"
    NOT_SIGNED_IN = "not_signed_in"
    SIGN_IN_FAILED = "sign_in_failed"
    RIGHT_MISSING = "right_missing"
    SOLUTION_LOCKED = "solution_locked"
    REFUSED = "refused"
    PATH_UNKNOWN = "path_unknown"
    PROBLEM_NOT_FOUND = "problem_not_found"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    CONFLICT = "conflict"
    REMOVAL_UNCONFIRMED = "removal_unconfirmed"
    OUTDATED = "outdated"
    BODY_TOO_LARGE = "body_too_large"
    BODY_TOO_SLOW = "body_too_slow"
    MEDIA_TYPE_NOT_TAKEN = "media_type_not_taken"
    CURSOR_INVALID = "cursor_invalid"
    INPUTS_INVALID = "inputs_invalid"
    PACKAGE_INVALID = "package_invalid"
    INVALID = "invalid"
    TOO_OFTEN = "too_often"
    LIMIT_REACHED = "limit_reached"
    FAILED = "failed"
    NOT_READY = "not_ready"
    DATABASE_AWAY = "database_away"
    DISK_FULL = "disk_full"
    REQUEST_REFUSED = "request_refused"


@dataclass(frozen=True, slots=True)
class Meaning:
    status: HTTPStatus
    says: str


MEANINGS: dict[Code, Meaning] = {
    Code.REQUEST_REFUSED: Meaning(HTTPStatus.BAD_REQUEST, "the request is not valid HTTP"),
    Code.BODY_UNREADABLE: Meaning(
        HTTPStatus.BAD_REQUEST, "the body is not JSON in UTF-8; `detail` says where it breaks"
    ),
    Code.NOT_SIGNED_IN: Meaning(HTTPStatus.UNAUTHORIZED, "the token is missing, unknown, expired or revoked"),
    Code.SIGN_IN_FAILED: Meaning(HTTPStatus.UNAUTHORIZED, "the user name or the password is wrong"),
    Code.RIGHT_MISSING: Meaning(HTTPStatus.FORBIDDEN, "your role or this token's scopes lack the permission"),
    Code.SOLUTION_LOCKED: Meaning(HTTPStatus.FORBIDDEN, "the solution is locked: solve the problem, or ask to see it"),
    Code.REFUSED: Meaning(HTTPStatus.FORBIDDEN, "you may not do this; `detail` says why, and who may"),
    Code.PATH_UNKNOWN: Meaning(HTTPStatus.NOT_FOUND, "there is nothing at this path"),
    Code.PROBLEM_NOT_FOUND: Meaning(HTTPStatus.NOT_FOUND, "there is no problem with this slug"),
    Code.NOT_FOUND: Meaning(HTTPStatus.NOT_FOUND, "it does not exist, or you may not see it"),
    Code.METHOD_NOT_ALLOWED: Meaning(HTTPStatus.METHOD_NOT_ALLOWED, "the header `Allow` lists this path's methods"),
    Code.CONFLICT: Meaning(HTTPStatus.CONFLICT, "it conflicts with the current state; `detail` says how"),
    Code.REMOVAL_UNCONFIRMED: Meaning(HTTPStatus.CONFLICT, "it would delete rows for good; `detail` counts them"),
    Code.OUTDATED: Meaning(HTTPStatus.PRECONDITION_FAILED, "it has changed since you read it; read it again"),
    Code.BODY_TOO_LARGE: Meaning(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the body is larger than this call allows"),
    Code.BODY_TOO_SLOW: Meaning(HTTPStatus.REQUEST_TIMEOUT, "the body did not arrive in time; send it again"),
    Code.MEDIA_TYPE_NOT_TAKEN: Meaning(
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "this call does not accept the `Content-Type`"
    ),
    Code.CURSOR_INVALID: Meaning(HTTPStatus.UNPROCESSABLE_ENTITY, "the cursor is not from this list"),
    Code.INPUTS_INVALID: Meaning(HTTPStatus.UNPROCESSABLE_ENTITY, "the custom input does not match the parameters"),
    Code.PACKAGE_INVALID: Meaning(HTTPStatus.UNPROCESSABLE_ENTITY, "the package has errors; `errors` say where"),
    Code.INVALID: Meaning(HTTPStatus.UNPROCESSABLE_ENTITY, "a value is not allowed; `errors` names the fields"),
    Code.TOO_OFTEN: Meaning(HTTPStatus.TOO_MANY_REQUESTS, "too many requests; wait `Retry-After` seconds"),
    Code.LIMIT_REACHED: Meaning(HTTPStatus.TOO_MANY_REQUESTS, "a quota is used up; `detail` says which"),
    Code.FAILED: Meaning(HTTPStatus.INTERNAL_SERVER_ERROR, "an internal error, which was logged"),
    Code.NOT_READY: Meaning(HTTPStatus.SERVICE_UNAVAILABLE, "the service is not ready; `detail` says why"),
    Code.DATABASE_AWAY: Meaning(
        HTTPStatus.SERVICE_UNAVAILABLE, "the database does not answer; try again in a few seconds"
    ),
    Code.DISK_FULL: Meaning(
        HTTPStatus.SERVICE_UNAVAILABLE, "the server's disk is full: nothing can be saved until an admin frees space"
    ),
}

# For a class that is not listed, its nearest base class counts.
CODE_OF: dict[type[Exception], Code] = {
    NotSignedIn: Code.NOT_SIGNED_IN,
    SignInFailed: Code.SIGN_IN_FAILED,
    PermissionMissing: Code.RIGHT_MISSING,
    AssignmentOpen: Code.SOLUTION_LOCKED,
    SolutionLocked: Code.SOLUTION_LOCKED,
    Refused: Code.REFUSED,
    ProblemNotFound: Code.PROBLEM_NOT_FOUND,
    NotFound: Code.NOT_FOUND,
    Conflict: Code.CONFLICT,
    RemovalUnconfirmed: Code.REMOVAL_UNCONFIRMED,
    Outdated: Code.OUTDATED,
    CursorInvalid: Code.CURSOR_INVALID,
    InputsInvalid: Code.INPUTS_INVALID,
    PackageInvalid: Code.PACKAGE_INVALID,
    Invalid: Code.INVALID,
    RequestValidationError: Code.INVALID,
    RateLimitReached: Code.TOO_OFTEN,
    LimitReached: Code.LIMIT_REACHED,
    NotReady: Code.NOT_READY,
    OperationalError: Code.DATABASE_AWAY,
    PoolExhausted: Code.DATABASE_AWAY,
    DiskFull: Code.DISK_FULL,
}

# Statuses with which the framework itself refuses a request.
CODE_OF_STATUS: dict[HTTPStatus, Code] = {
    HTTPStatus.BAD_REQUEST: Code.REQUEST_REFUSED,
    HTTPStatus.UNAUTHORIZED: Code.NOT_SIGNED_IN,
    HTTPStatus.NOT_FOUND: Code.PATH_UNKNOWN,
    HTTPStatus.METHOD_NOT_ALLOWED: Code.METHOD_NOT_ALLOWED,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: Code.BODY_TOO_LARGE,
    HTTPStatus.REQUEST_TIMEOUT: Code.BODY_TOO_SLOW,
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: Code.MEDIA_TYPE_NOT_TAKEN,
}


def code_of(kind: type[Exception]) -> Code:
    """Return the code of an error's class; `failed` for an unforeseen one."""
    return next((CODE_OF[base] for base in kind.__mro__ if base in CODE_OF), Code.FAILED)


class FieldFault(BaseModel):
    """One thing wrong with the request."""

    field: str = Field(description="a key of the body (`a/b` inside objects), a query parameter or a header")
    message: str = Field(description="what is wrong, and what to send instead")
    file: str | None = Field(None, description="for a package: the path of the file")
    line: int | None = Field(None, description="for a package: the line of that file, from 1")
    remedy: str | None = Field(None, description="for a package: what to do")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    code: Code
    status: HTTPStatus
    detail: str
    fields: tuple[FieldFault, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)


def fault_of(code: Code, detail: str, fields: tuple[FieldFault, ...] = ()) -> Fault:
    """Return a fault with the code's status."""
    return Fault(code=code, status=MEANINGS[code].status, detail=detail, fields=fields)


def describe_package_fault(fault: catalog.Fault) -> FieldFault:
    """Return the field, without a line if the fault concerns the whole file."""
    field = f"{fault.file}/{fault.key}" if fault.key else fault.file
    return FieldFault(field=field, message=fault.message, file=fault.file, line=fault.line or None, remedy=fault.remedy)
