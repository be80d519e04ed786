"""Whole numbers in bodies: JSON knows no other kind of number, so 2.0 is one, and "2" and true are none."""

from typing import Annotated, Any

from pydantic import BeforeValidator


def _refuse_words(given: Any) -> Any:
    if isinstance(given, bool | str):
        raise ValueError("must be a whole number")
    return given


WholeNumber = Annotated[int, BeforeValidator(_refuse_words)]
