"""What an error comes to over HTTP: a status, a sentence, perhaps fields and headers. Not yet a body of any format."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from pydantic import BaseModel, Field

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
    status: HTTPStatus
    detail: str
    fields: tuple[FieldFault, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)


def describe_package_fault(fault: catalog.Fault) -> FieldFault:
    """Without a line when it concerns a file as a whole."""
    field = f"{fault.file}/{fault.key}" if fault.key else fault.file
    return FieldFault(field=field, message=fault.message, file=fault.file, line=fault.line or None, remedy=fault.remedy)
