"""A time as programs send it: with its zone, and never a number."""

import re
from datetime import datetime
from typing import Annotated, Any

from pydantic import AwareDatetime, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from app.errors import Invalid

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
# What is left of an offset when nobody escaped its plus sign in an address.
_PLUS_LOST = re.compile(r".*:\d\d(\.\d+)? \d\d:?\d\d")
EXAMPLE = "2026-11-22T05:00:00Z"


def _read(given: Any, read: ValidatorFunctionWrapHandler) -> Any:
    if isinstance(given, str):
        if _PLUS_LOST.fullmatch(given):
            raise ValueError(f"a + in an address means a blank: write %2B, or the time in UTC, as in {EXAMPLE}")
        if not _DAY.match(given):
            raise ValueError(f"should be a time, as in {EXAMPLE}")
    elif not isinstance(given, datetime):
        raise ValueError(f"should be a text that is a time, as in {EXAMPLE}")
    try:
        return read(given)
    except ValidationError as error:
        raise ValueError(_remedy(error.errors()[0]["type"])) from None


def _remedy(kind: str) -> str:
    if kind == "timezone_aware":
        return f"a time needs its zone: add Z or an offset, as in {EXAMPLE}"
    return f"should be a time, as in {EXAMPLE}"


Moment = Annotated[AwareDatetime, WrapValidator(_read)]


def check_span(since: datetime | None, until: datetime | None) -> None:
    """Raises Invalid where nothing can lie between them."""
    if since is not None and until is not None and since >= until:
        span = f"{since.isoformat()} and {until.isoformat()}"
        raise Invalid("since", f"nothing lies between {span}: since must be before until")
