"""Base class of JSON request bodies: unknown keys are refused."""

from itertools import islice
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic_core import PydanticCustomError

from app.wrong_value import MAX_LENGTH_SHOWN

# No body has more fields. Naming each of 100,000 unknown keys would block the process for a second.
MAX_KEYS = 50
NAMED_KEYS = 3


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
