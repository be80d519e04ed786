"""A time as programs send it: a text with a time zone, never a number."""

import re
from datetime import datetime
from typing import Annotated, Any

from pydantic import AwareDatetime, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from app.errors import Invalid

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
# An offset whose + was not escaped in a URL: it arrives as a space.
_PLUS_LOST = re.compile(r".*:\d\d(\.\d+)? \d\d:?\d\d")
EXAMPLE = "2026-11-22T05:00:00Z"


def _read(given: Any, read: ValidatorFunctionWrapHandler) -> Any:
    if isinstance(given, str):
        if _PLUS_LOST.fullmatch(given):
            raise ValueError(f"a + in a URL means a space: write %2B, or use UTC, as in {EXAMPLE}")
        if not _DAY.match(given):
            raise ValueError(f"should be a time, as in {EXAMPLE}")
    elif not isinstance(given, datetime):
        raise ValueError(f"should be a time as text, as in {EXAMPLE}")
    try:
        return read(given)
    except ValidationError as error:
        raise ValueError(_remedy(error.errors()[0]["type"])) from None


def _remedy(kind: str) -> str:
    if kind == "timezone_aware":
        return f"a time needs a time zone: add Z or an offset, as in {EXAMPLE}"
    return f"should be a time, as in {EXAMPLE}"


Moment = Annotated[AwareDatetime, WrapValidator(_read)]


def check_span(since: datetime | None, until: datetime | None) -> None:
    """Raises Invalid if `since` is not before `until`."""
    if since is not None and until is not None and since >= until:
        span = f"since is {since.isoformat()} and until is {until.isoformat()}"
        raise Invalid("since", f"The time range is empty: {span}. Choose an earlier since or a later until.")
