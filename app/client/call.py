"""One request as a value, and what its answer says when it is a refusal."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from urllib.parse import quote

import httpx
from pydantic import BaseModel

from app.client.error import ServerRefused, Wrong, kind_of

JSON = "application/json"
MAX_SHOWN = 200
# May the same request be sent once more when its answer was lost? `key`: with one key for all tries.
Again = Literal["safe", "key", "unsafe"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Parameters that are None are left out."""

    method: str
    path: str
    again: Again
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str | None] = field(default_factory=dict)
    body: bytes | None = None

    def given_query(self) -> dict[str, str]:
        return {name: _text(value) for name, value in self.query.items() if value is not None}

    def given_headers(self) -> dict[str, str]:
        return {name: value for name, value in self.headers.items() if value is not None}


def fill(template: str, **values: object) -> str:
    return template.format(**{name: quote(str(value), safe="") for name, value in values.items()})


def write_body(body: BaseModel) -> bytes:
    """With the fields that were given: those that were not are the server's to choose."""
    return body.model_dump_json(exclude_unset=True, by_alias=True).encode()


def refusal(response: httpx.Response) -> ServerRefused:
    """What problem details say, or as much as can be told of another answer."""
    status = response.status_code
    try:
        said = response.json()
        detail = str(said.get("detail") or said["title"])
        wrong = tuple(_wrong(each) for each in said.get("errors") or ())
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        said, wrong = {}, ()
        detail = f"{response.url} answered {status}: {response.text[:MAX_SHOWN]}"
    error = kind_of(status)(detail, status=status, code=str(said.get("code", "")), errors=wrong)
    error.request_id = said.get("request_id") or response.headers.get("X-Request-ID")
    seconds = response.headers.get("Retry-After", "")
    error.retry_seconds = float(seconds) if seconds.isdecimal() else None
    return error


def _wrong(said: Mapping[str, Any]) -> Wrong:
    return Wrong(
        field=str(said.get("field", "")),
        message=str(said.get("message", "")),
        file=said.get("file"),
        line=said.get("line"),
        remedy=said.get("remedy"),
    )


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, datetime) else str(value)
