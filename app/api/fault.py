"""What an error comes to over HTTP: a code, a status, a sentence, perhaps fields and headers. Not yet a body."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from pydantic import BaseModel, Field

from app.api.error_code import MEANINGS, Code
from app.catalog import fault as catalog


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
