"""What a case gives a parameter: a literal, a draw, an array written out, or lists and mappings of those."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn, Self, get_args

from pydantic import Discriminator, Field, Strict, Tag, model_validator
from typing_extensions import TypeAliasType

from app.catalog.dtype import DType
from app.catalog.fault import Conflict, Inconsistent
from app.judging.options import Integer, Model, Number

Shape = tuple[Annotated[int, Strict(), Field(ge=0)], ...]
Scalar = bool | int | float | str | None


def _refuse(key: str, message: str, remedy: str = "make high the larger one") -> NoReturn:
    raise Inconsistent([Conflict((key,), message, remedy)])


class Drawn(Model):
    """`shape` and `dtype` default to the parameter's; inside a list or a mapping, to one plain number."""

    shape: Annotated[Shape, Field(max_length=32)] | None = None
    dtype: DType | None = None

    @property
    def size_given(self) -> Shape | None:
        return self.shape


class Normal(Drawn):
    draw: Literal["normal"]
    loc: Number = 0.0
    scale: Annotated[Number, Field(ge=0)] = 1.0


class Uniform(Drawn):
    """`low` ≤ x < `high`"""

    draw: Literal["uniform"]
    low: Number = 0.0
    high: Number = 1.0

    @model_validator(mode="after")
    def _is_ordered(self) -> Self:
        return self if self.low <= self.high else _refuse("high", f"is {self.high:g}, but low is {self.low:g}")


class Integers(Drawn):
    """`low` ≤ n < `high`"""

    draw: Literal["integers"]
    low: Annotated[Integer, Field(ge=-(2**63), lt=2**64)]
    high: Annotated[Integer, Field(gt=-(2**63), le=2**64)]

    @model_validator(mode="after")
    def _is_ordered(self) -> Self:
        if self.low < 0 and self.high > 2**63:
            _refuse("high", f"is {self.high}, with a negative low", "no element type holds both")
        return self if self.low < self.high else _refuse("high", f"is {self.high}, but low is {self.low}")


class Choice(Drawn):
    """Each element is one of `of`, drawn with replacement."""

    draw: Literal["choice"]
    of: tuple[Scalar, ...] = Field(min_length=1, max_length=10_000)


class Permutation(Drawn):
    """The numbers 0 … n-1 in random order; the shape is `[n]`."""

    draw: Literal["permutation"]
    n: Annotated[int, Strict(), Field(ge=0, le=2**24)]

    @property
    def size_given(self) -> Shape | None:
        return self.shape or (self.n,)


class Array(Model):
    """An array written out inside a list or a mapping."""

    array: "Value"
    dtype: DType | None = None


Draw = Normal | Uniform | Integers | Choice | Permutation
DRAWS: dict[str, type[Drawn]] = {get_args(model.model_fields["draw"].annotation)[0]: model for model in get_args(Draw)}


def _kind(value: object) -> str | None:
    """The tag of the model that reads `value`; tags wear brackets, so that they never pass for keys in a location."""
    if isinstance(value, Drawn):
        return f"<{type(value).__name__.lower()}>"
    if isinstance(value, Mapping):
        if "draw" in value:
            return f"<{value['draw']}>" if value["draw"] in tuple(DRAWS) else None
        return "<array>" if "array" in value else "<mapping>"
    if isinstance(value, Array):
        return "<array>"
    return "<list>" if isinstance(value, list | tuple) else "<scalar>"


if TYPE_CHECKING:
    Value = Any  # mypy can not follow the recursion
else:
    Value = TypeAliasType(
        "Value",
        Annotated[
            Annotated[Normal, Tag("<normal>")]
            | Annotated[Uniform, Tag("<uniform>")]
            | Annotated[Integers, Tag("<integers>")]
            | Annotated[Choice, Tag("<choice>")]
            | Annotated[Permutation, Tag("<permutation>")]
            | Annotated[Array, Tag("<array>")]
            | Annotated[dict[str, "Value"], Tag("<mapping>")]
            | Annotated[tuple["Value", ...], Tag("<list>")]
            | Annotated[Scalar, Tag("<scalar>")],
            Discriminator(_kind, custom_error_type="unknown_draw", custom_error_message="unknown draw"),
        ],
    )

Array.model_rebuild()


def without_tags(location: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """A location of pydantic's as one of the document."""
    return tuple(part for part in location if not (isinstance(part, str) and part.startswith("<")))
