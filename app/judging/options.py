"""Strict types for the options that authors write in YAML: no unknown keys, no text in place of a number."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, Strict

from app.judging.tolerance_comparison import Tolerance

Number = Annotated[float, Strict(), Field(allow_inf_nan=False)]
Integer = Annotated[int, Strict()]


class Model(BaseModel):
    """A frozen model that refuses unknown keys."""

    # Literals may hold NaN and inf, which JSON lacks.
    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="strings")


class Margin(Model):
    """Accepted: |answer − expected| ≤ atol + rtol · |expected|."""

    rtol: Annotated[Number, Field(ge=0, le=1)]
    atol: Annotated[Number, Field(ge=0)]

    @property
    def tolerance(self) -> Tolerance:
        return Tolerance(rtol=self.rtol, atol=self.atol)
