"""Sentences about wrong values, from pydantic's errors, for the person who sent the value."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from pydantic import ValidationError

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
    "bool_parsing": "should be true or false",
    "bool_type": "should be true or false",
}


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
