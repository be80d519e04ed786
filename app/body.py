"""Base class of JSON request bodies: unknown keys are refused."""

from itertools import islice
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic_core import PydanticCustomError

from app.wrong_value import MAX_LENGTH_SHOWN

# No object of the API has more. Naming each of 100,000 unknown keys would hold the process for a second.
MAX_KEYS = 50
NAMED_KEYS = 3


class Body(BaseModel):
    """Unknown keys are named; of more keys than any object of ours has, the first few."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _refuse_many_keys(cls, given: Any) -> Any:
        if isinstance(given, dict) and len(given) > MAX_KEYS:
            unknown = (str(key)[:MAX_LENGTH_SHOWN] for key in given if key not in cls.model_fields)
            message = "has {number} keys, and at most {most} are taken; leave out {named} and others that it has not"
            facts = {"number": len(given), "most": MAX_KEYS, "named": ", ".join(islice(unknown, NAMED_KEYS))}
            raise PydanticCustomError("too_many_keys", message, facts)
        return given
