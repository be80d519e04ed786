"""Requests that can't be read or hold wrong values, described so that their sender can mend them."""

import json
from collections.abc import Mapping
from typing import Any

from fastapi.exceptions import RequestValidationError

from app.api.error_code import Code
from app.api.fault import Fault, FieldFault, fault_of
from app.api.ruled import RULED
from app.wrong_value import MAX_SHOWN, WrongValue

# pydantic's kinds of error that its own message does not explain to someone who sends JSON.
_SENTENCES = {
    "missing": "is required",
    "extra_forbidden": "is not a field of this request; leave it out",
    "string_unicode": "holds a lone surrogate such as \\ud800, which no UTF-8 text can hold; leave it out",
    "model_attributes_type": "must be a JSON object",
    "model_type": "must be a JSON object",
}
# Of one request; somebody who mends these reads no more at once.
MAX_ERRORS = 20
_NOT_AN_OBJECT = {"model_attributes_type", "model_type"}


def describe_validation(error: RequestValidationError) -> Fault:
    """400 for a body that is no JSON, 415 for one that does not say it is, 422 for wrong values."""
    every = error.errors()
    found = [dict(e) for e in every[:MAX_ERRORS]]
    if found and found[0]["type"] == "json_invalid":
        return _malformed(str(error.body), found[0])
    if isinstance(error.body, bytes) and any(e["type"] in _NOT_AN_OBJECT for e in found):
        return fault_of(
            Code.MEDIA_TYPE_NOT_TAKEN,
            "the body is not marked as JSON; send it with the header Content-Type: application/json",
        )
    fields = tuple(FieldFault(field=_name(e["loc"]), message=_sentence(e)) for e in found)
    detail = "; ".join(_say(e, fault) for e, fault in zip(found, fields, strict=True))
    if more := len(every) - len(found):
        detail += f"; and {more} more; fix these first to see the others"
    return fault_of(Code.INVALID, detail, fields)


def describe_unreadable(cause: BaseException | None) -> Fault:
    """A body whose bytes could not even be tried as JSON."""
    if isinstance(cause, UnicodeDecodeError):
        detail = f"the body is not UTF-8: {cause.reason} at byte {cause.start}; encode it as UTF-8"
    elif isinstance(cause, RecursionError):
        detail = "the body's JSON is nested too deeply; send a plain object"
    else:
        detail = "the body can't be read as JSON; send a JSON object in UTF-8"
    return fault_of(Code.BODY_UNREADABLE, detail)


def _malformed(document: str, error: Mapping[str, Any]) -> Fault:
    position = int(error["loc"][-1])
    where = json.JSONDecodeError("", document, position)
    reason = error["ctx"]["error"]
    return fault_of(
        Code.BODY_UNREADABLE,
        f"the body is not JSON: {reason} at line {where.lineno}, column {where.colno} (character {position})",
    )


def _name(location: tuple[int | str, ...]) -> str:
    inside = location[1:] if len(location) > 1 else location
    return _short("/".join(str(part) for part in inside))


def _say(error: Mapping[str, Any], fault: FieldFault) -> str:
    return fault.message if error["type"] == RULED else f"{fault.field} {fault.message}"


def _sentence(error: Mapping[str, Any]) -> str:
    known = _SENTENCES.get(error["type"])
    if known is not None:
        return known
    wrong = WrongValue.of(error)
    if error["type"] == RULED or "password" in wrong.place or not isinstance(wrong.value, str | int | float | None):
        return wrong.reason
    return f"is {_short(json.dumps(wrong.value))}: {wrong.reason}"


def _short(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"
