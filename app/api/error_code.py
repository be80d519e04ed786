"""The stable names of errors: one table from an error's class to its code, and from a code to its status.

Programs go by `code`, people by `detail`. A code keeps its meaning; docs/api.md lists them from here.

What an error comes to over HTTP: a code, a status, a sentence, perhaps fields and headers. Not yet a body.
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
from app.accounts.rate_limit import TooOften
from app.accounts.session import SignInFailed
from app.admin.settings import RemovalUnconfirmed
from app.catalog import fault as catalog
from app.catalog.custom_inputs import InputsInvalid
from app.catalog.fault import PackageInvalid
from app.database.cursor import CursorInvalid
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


class NotSignedIn(AllcloseError):
    """The request needs a token and has none that works."""


class NotReady(AllcloseError):
    """The service can't answer yet; the text says what it waits for."""


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
    REQUEST_REFUSED = "request_refused"


@dataclass(frozen=True, slots=True)
class Meaning:
    status: HTTPStatus
    says: str


MEANINGS: dict[Code, Meaning] = {
    Code.REQUEST_REFUSED: Meaning(HTTPStatus.BAD_REQUEST, "what was sent is no request that HTTP knows"),
    Code.BODY_UNREADABLE: Meaning(HTTPStatus.BAD_REQUEST, "the body is not JSON in UTF-8; `detail` says where"),
    Code.NOT_SIGNED_IN: Meaning(HTTPStatus.UNAUTHORIZED, "there is no token, or one that does not work any more"),
    Code.SIGN_IN_FAILED: Meaning(HTTPStatus.UNAUTHORIZED, "a wrong user name or password"),
    Code.RIGHT_MISSING: Meaning(HTTPStatus.FORBIDDEN, "your role, or this token's scopes, lack the right for it"),
    Code.SOLUTION_LOCKED: Meaning(HTTPStatus.FORBIDDEN, "solve the problem, or ask to be shown its solution"),
    Code.REFUSED: Meaning(HTTPStatus.FORBIDDEN, "not for you; `detail` says why, and who may"),
    Code.PATH_UNKNOWN: Meaning(HTTPStatus.NOT_FOUND, "there is nothing at this path"),
    Code.PROBLEM_NOT_FOUND: Meaning(HTTPStatus.NOT_FOUND, "there is no problem of this slug"),
    Code.NOT_FOUND: Meaning(HTTPStatus.NOT_FOUND, "it does not exist, or is not yours to see"),
    Code.METHOD_NOT_ALLOWED: Meaning(HTTPStatus.METHOD_NOT_ALLOWED, "the path takes what the header `Allow` lists"),
    Code.CONFLICT: Meaning(HTTPStatus.CONFLICT, "it clashes with what is there already"),
    Code.REMOVAL_UNCONFIRMED: Meaning(HTTPStatus.CONFLICT, "it would remove things for good; `detail` says how many"),
    Code.OUTDATED: Meaning(HTTPStatus.PRECONDITION_FAILED, "it has changed since you read it: read it again"),
    Code.BODY_TOO_LARGE: Meaning(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the body is larger than what is taken there"),
    Code.MEDIA_TYPE_NOT_TAKEN: Meaning(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "`Content-Type` is not what is taken there"),
    Code.CURSOR_INVALID: Meaning(HTTPStatus.UNPROCESSABLE_ENTITY, "the cursor is none that this list gave"),
    Code.INPUTS_INVALID: Meaning(HTTPStatus.UNPROCESSABLE_ENTITY, "your own inputs don't fit the problem's parameters"),
    Code.PACKAGE_INVALID: Meaning(HTTPStatus.UNPROCESSABLE_ENTITY, "the package can't be used; `errors` say where"),
    Code.INVALID: Meaning(HTTPStatus.UNPROCESSABLE_ENTITY, "a value is not allowed; `errors` names each field"),
    Code.TOO_OFTEN: Meaning(HTTPStatus.TOO_MANY_REQUESTS, "too many requests; `Retry-After` has the seconds to wait"),
    Code.LIMIT_REACHED: Meaning(HTTPStatus.TOO_MANY_REQUESTS, "a quota is used up for now; `detail` says which"),
    Code.FAILED: Meaning(HTTPStatus.INTERNAL_SERVER_ERROR, "something failed on our side, and was logged"),
    Code.NOT_READY: Meaning(HTTPStatus.SERVICE_UNAVAILABLE, "the service can't work yet; `detail` says why"),
    Code.DATABASE_AWAY: Meaning(HTTPStatus.SERVICE_UNAVAILABLE, "the database does not answer; try again soon"),
}

# Of a class that is not here, its nearest base counts.
CODE_OF: dict[type[Exception], Code] = {
    NotSignedIn: Code.NOT_SIGNED_IN,
    SignInFailed: Code.SIGN_IN_FAILED,
    PermissionMissing: Code.RIGHT_MISSING,
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
    TooOften: Code.TOO_OFTEN,
    LimitReached: Code.LIMIT_REACHED,
    NotReady: Code.NOT_READY,
    OperationalError: Code.DATABASE_AWAY,
    PoolExhausted: Code.DATABASE_AWAY,
}

# What the framework refuses by itself.
CODE_OF_STATUS: dict[HTTPStatus, Code] = {
    HTTPStatus.BAD_REQUEST: Code.REQUEST_REFUSED,
    HTTPStatus.UNAUTHORIZED: Code.NOT_SIGNED_IN,
    HTTPStatus.NOT_FOUND: Code.PATH_UNKNOWN,
    HTTPStatus.METHOD_NOT_ALLOWED: Code.METHOD_NOT_ALLOWED,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: Code.BODY_TOO_LARGE,
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: Code.MEDIA_TYPE_NOT_TAKEN,
}


def code_of(kind: type[Exception]) -> Code:
    """`failed` for what nobody foresaw."""
    return next((CODE_OF[base] for base in kind.__mro__ if base in CODE_OF), Code.FAILED)


def codes_of(status: int) -> list[Code]:
    return [code for code, meaning in MEANINGS.items() if meaning.status == status]


class FieldFault(BaseModel):
    """One thing wrong with the request."""

    field: str = Field(description="where: a key of the body (`a/b` inside objects), a parameter or a header")
    message: str = Field(description="what is wrong with it, and what to send")
    file: str | None = Field(None, description="of a package: the file, by its path")
    line: int | None = Field(None, description="of a package: the line of that file, from 1")
    remedy: str | None = Field(None, description="of a package: what to do")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    code: Code
    status: HTTPStatus
    detail: str
    fields: tuple[FieldFault, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)


def fault_of(code: Code, detail: str, fields: tuple[FieldFault, ...] = ()) -> Fault:
    """With the status that belongs to the code."""
    return Fault(code=code, status=MEANINGS[code].status, detail=detail, fields=fields)


def describe_package_fault(fault: catalog.Fault) -> FieldFault:
    """Without a line when it concerns a file as a whole."""
    field = f"{fault.file}/{fault.key}" if fault.key else fault.file
    return FieldFault(field=field, message=fault.message, file=fault.file, line=fault.line or None, remedy=fault.remedy)
