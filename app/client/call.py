"""A request as a value, and the error that a response stands for."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from urllib.parse import quote

import httpx

from app.client.error import ServerRefused, Wrong, kind_of

MAX_SHOWN = 200
# Whether a request can be sent again after its response was lost. `key`: yes, with the same idempotency key.
Again = Literal["safe", "key", "unsafe"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request. Parameters that are None are not sent."""

    method: str
    path: str
    again: Again
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str | None] = field(default_factory=dict)
    body: bytes | None = None

    def given_query(self) -> dict[str, str | list[str]]:
        return {
            name: [_text(each) for each in value] if isinstance(value, list) else _text(value)
            for name, value in self.query.items()
            if value is not None
        }

    def given_headers(self) -> dict[str, str]:
        return {name: value for name, value in self.headers.items() if value is not None}


def fill(template: str, **values: object) -> str:
    return template.format(**{name: quote(str(value), safe="") for name, value in values.items()})


def write_json(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode()


def refusal(response: httpx.Response) -> ServerRefused:
    """Return the error of a response, from its problem details or else from its status and text."""
    status = response.status_code
    try:
        problem = response.json()
        detail = str(problem.get("detail") or problem["title"])
        wrong = tuple(_wrong(each) for each in problem.get("errors") or ())
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        problem, wrong = {}, ()
        detail = f"{response.url} answered {status}: {response.text[:MAX_SHOWN]}"
    error = kind_of(status)(detail, status=status, code=str(problem.get("code", "")), errors=wrong)
    error.request_id = problem.get("request_id") or response.headers.get("X-Request-ID")
    seconds = response.headers.get("Retry-After", "")
    error.retry_seconds = float(seconds) if seconds.isdecimal() else None
    return error


def _wrong(error: Mapping[str, Any]) -> Wrong:
    return Wrong(
        field=str(error.get("field", "")),
        message=str(error.get("message", "")),
        file=error.get("file"),
        line=error.get("line"),
        remedy=error.get("remedy"),
    )


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, datetime) else str(value)
