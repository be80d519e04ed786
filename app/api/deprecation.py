"""Deprecated paths: they work as before, and each good answer names the path to use instead (RFC 9745)."""

from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from fastapi import Depends, Request, Response

# The headers of a deprecated operation's good answers, for the OpenAPI document.
HEADERS: dict[str, Any] = {
    "Deprecation": {
        "description": "since when the path is deprecated: `@` and seconds since 1970",
        "schema": {"type": "string"},
    },
    "Link": {"description": '`<path>; rel="successor-version"`: the path to use', "schema": {"type": "string"}},
}


def succeeded_by(path: str, year: int, month: int, day: int) -> Any:
    """Return the dependency of an endpoint that is deprecated since this day. `path` may have its path parameters."""
    since = int(datetime(year, month, day, tzinfo=UTC).timestamp())

    def name_successor(request: Request, response: Response) -> None:
        response.headers["Deprecation"] = f"@{since}"
        values = {name: quote(str(value), safe="") for name, value in request.path_params.items()}
        response.headers["Link"] = f'<{path.format(**values)}>; rel="successor-version"'

    return Depends(name_successor)
