"""What an error comes to over HTTP: a status, a sentence, perhaps fields and headers. Not yet a body of any format."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from pydantic import BaseModel, Field


class FieldFault(BaseModel):
    """One thing wrong with the request."""

    field: str = Field(description="where: a key of the body (`a/b` inside objects), a parameter or a header")
    message: str = Field(description="what is wrong with it, and what to send")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    status: HTTPStatus
    detail: str
    fields: tuple[FieldFault, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
