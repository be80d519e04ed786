"""Whole numbers in bodies: JSON knows one kind of number, so 2.0 is one, and "2" and true are none."""

from typing import Any

from pydantic import BeforeValidator


def _refuse_words(given: Any) -> Any:
    if isinstance(given, bool | str):
        raise ValueError("must be a whole number")
    return given


# Stands last in `Annotated[int, Field(ge=…), whole]`: limits before it are part of the schema.
whole = BeforeValidator(_refuse_words)
