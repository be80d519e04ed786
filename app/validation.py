"""Values that people and programs send: request bodies, times, and sentences about wrong values."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Annotated, Any, Self, TypeVar

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from app.errors import Invalid, all_of

MAX_LENGTH_SHOWN = 60
# By pydantic's kind of error: reasons that say how to correct the value, where pydantic's own describe its parser.
_REASONS = {
    "uuid_parsing": "should be a UUID, as in 0b9c4a5e-6c1d-4f7a-9d2e-3b8f5a7c1e42",
    "uuid_type": "should be a UUID, as in 0b9c4a5e-6c1d-4f7a-9d2e-3b8f5a7c1e42",
    "int_parsing": "should be a whole number",
    "int_parsing_size": "should be a smaller number",
    "int_from_float": "should be a whole number",
    "int_type": "should be a whole number",
    "float_parsing": "should be a number",
    "decimal_parsing": "should be a number, such as 1.5",
    "string_too_short": "should not be empty",
    "too_short": "should not be empty",
    "bool_parsing": "should be true or false",
    "bool_type": "should be true or false",
}
# No body has more fields. Naming each of 100,000 unknown keys would block the process for a second.
MAX_KEYS = 50
NAMED_KEYS = 3
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
# An offset whose + was not escaped in a URL: it arrives as a space.
_PLUS_LOST = re.compile(r".*:\d\d(\.\d+)? \d\d:?\d\d")
EXAMPLE = "2026-11-22T05:00:00Z"
# Python's times end with the years 1 and 9999, so adding a grace or another zone's offset there would fail.
YEARS = range(1900, 3000)

Model = TypeVar("Model", bound=BaseModel)


class FrozenModel(BaseModel):
    """An object of an answer."""

    model_config = ConfigDict(frozen=True)


class Body(BaseModel):
    """Refuses unknown keys and names them. Of more than MAX_KEYS keys it names only the first few."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _refuse_many_keys(cls, given: Any) -> Any:
        if isinstance(given, dict) and len(given) > MAX_KEYS:
            unknown = (str(key)[:MAX_LENGTH_SHOWN] for key in given if key not in cls.model_fields)
            message = "has {number} keys; the limit is {most}. Remove the unknown keys, such as {named}"
            facts = {"number": len(given), "most": MAX_KEYS, "named": ", ".join(islice(unknown, NAMED_KEYS))}
            raise PydanticCustomError("too_many_keys", message, facts)
        return given


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongValue:
    """`place` is the path to the value. It is empty for a rule about several fields, and then no value is shown."""

    place: tuple[int | str, ...]
    value: Any
    reason: str

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Self:
        """`facts` is one entry of pydantic's `errors()`."""
        said = str(facts["msg"]).removeprefix("Value error, ").replace("Input should", "should", 1)
        reason = _REASONS.get(facts["type"], said)
        return cls(place=facts["loc"], value=facts["input"], reason=reason)

    @property
    def field(self) -> str:
        return str(self.place[0]) if self.place else ""

    def sentence(self, name: str | None = None) -> str:
        """Return the name, the value and the reason. `name` defaults to the path to the value."""
        if not self.place:
            return self.reason
        shown = repr(self.value)
        value = shown if len(shown) <= MAX_LENGTH_SHOWN else shown[:MAX_LENGTH_SHOWN] + "…"
        subject = "it " if self.reason.startswith("should ") else ""
        return f"{name or '.'.join(map(str, self.place))} is {value}: {subject}{self.reason}"


def list_wrong(error: ValidationError) -> tuple[WrongValue, ...]:
    """Return the wrong values, of which there is at least one."""
    return tuple(WrongValue.of(facts) for facts in error.errors(include_url=False))


def read_fields(kind: type[Model], given: Mapping[str, Any]) -> Model:
    """Read the fields of a page's form or address. Raises Invalid for all wrong ones together."""
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        raise all_of([Invalid(wrong.field, wrong.sentence(_say(wrong.place))) for wrong in list_wrong(error)]) from None


def _say(place: tuple[int | str, ...]) -> str:
    """Return a path as a page names it: `problems, row 2, points`."""
    return ", ".join(f"row {part + 1}" if isinstance(part, int) else part.replace("_", " ") for part in place)


def _read(given: Any, read: ValidatorFunctionWrapHandler) -> Any:
    if isinstance(given, str):
        if _PLUS_LOST.fullmatch(given):
            raise ValueError(f"a + in a URL means a space: write %2B, or use UTC, as in {EXAMPLE}")
        if not _DAY.match(given):
            raise ValueError(f"should be a time, as in {EXAMPLE}")
    elif not isinstance(given, datetime):
        raise ValueError(f"should be a time as text, as in {EXAMPLE}")
    try:
        moment = read(given)
    except ValidationError as error:
        raise ValueError(_remedy(error.errors()[0]["type"])) from None
    if moment.year not in YEARS:
        raise ValueError(f"should be a time of the years {YEARS[0]} to {YEARS[-1]}")
    return moment


def _remedy(kind: str) -> str:
    if kind == "timezone_aware":
        return f"a time needs a time zone: add Z or an offset, as in {EXAMPLE}"
    return f"should be a time, as in {EXAMPLE}"


# A time as programs send it: a text with a time zone, never a number.
Moment = Annotated[AwareDatetime, WrapValidator(_read)]


def _check_line(text: str) -> str:
    if not text.isprintable():
        raise ValueError("should be one line of printable characters")
    return text


# Of a text: without invisible characters, such as those that turn the direction of what follows.
ONE_LINE = AfterValidator(_check_line)


def check_span(since: datetime | None, until: datetime | None) -> None:
    """Raises Invalid if `since` is not before `until`."""
    if since is not None and until is not None and since >= until:
        span = f"since is {since.isoformat()} and until is {until.isoformat()}"
        raise Invalid("since", f"The time range is empty: {span}. Choose an earlier since or a later until.")


def read_moment(field: str, text: str) -> datetime | None:
    """Read a UTC time of a form; None from an empty field. A date means midnight. Raises Invalid."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        message = f"{text[:40]!r} is not a time; write it as 2026-01-31T09:00, in UTC"
        raise Invalid(field, message) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
