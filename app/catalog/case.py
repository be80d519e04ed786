"""The model of a test case: its inputs, or the function of `cases.py` that makes them.

An input is a literal, a draw, an array, or a list or mapping of these.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn, Self, get_args

from pydantic import ConfigDict, Discriminator, Field, Strict, StringConstraints, Tag, model_validator
from typing_extensions import TypeAliasType

from app.catalog.dtype import DType
from app.catalog.fault import Conflict, Inconsistent, Location
from app.catalog.parameter import Doc, Identifier, Parameter
from app.judging.options import Integer, Model, Number

Shape = tuple[Annotated[int, Strict(), Field(ge=0)], ...]
Scalar = bool | int | float | str | None


def _refuse(key: str, message: str, remedy: str = "make high the larger one") -> NoReturn:
    raise Inconsistent([Conflict((key,), message, remedy)])


class Drawn(Model):
    """`shape` and `dtype` default to the parameter's. Inside a list or mapping, the default is one plain number."""

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
    """A literal array inside a list or mapping."""

    array: "Value"
    dtype: DType | None = None


Draw = Normal | Uniform | Integers | Choice | Permutation
DRAWS: dict[str, type[Drawn]] = {get_args(model.model_fields["draw"].annotation)[0]: model for model in get_args(Draw)}


def _kind(value: object) -> str | None:
    """Return the tag of the model for `value`. Tags have brackets, which no key in a location has."""
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
            | Annotated[dict[Scalar, "Value"], Tag("<mapping>")]
            | Annotated[tuple["Value", ...], Tag("<list>")]
            | Annotated[Scalar, Tag("<scalar>")],
            Discriminator(_kind, custom_error_type="unknown_draw", custom_error_message="unknown draw"),
        ],
    )

Array.model_rebuild()


class Ragged(ValueError):
    """Lists of unequal lengths. `location` is the first that differs from the one before it."""

    def __init__(self, location: Location) -> None:
        super().__init__()
        self.location = location


def shape_of(literal: Any) -> Shape:
    """Return the shape of nested lists of scalars. Raises Ragged."""
    if not isinstance(literal, tuple):
        return ()
    first: Shape = ()
    for index, item in enumerate(literal):
        try:
            shape = shape_of(item)
        except Ragged as ragged:
            raise Ragged((index, *ragged.location)) from None
        if index and shape != first:
            raise Ragged((index,))
        first = shape
    return (len(literal), *first)


def size_of(parameter: Parameter, value: Any) -> Shape:
    """Return the shape of a valid value of an array parameter."""
    if not isinstance(value, Drawn):
        return shape_of(value.array if isinstance(value, Array) else value)
    given = value.size_given
    return given if given is not None else tuple(size for size in parameter.shape or () if isinstance(size, int))


def completed(draw: Drawn, parameter: Parameter) -> tuple[Shape, DType | None]:
    """Return the shape and element type of a draw inside a list or mapping; None stands for Python numbers."""
    shape = draw.size_given
    if shape is None and draw.dtype is None:
        return (), None
    return shape or (), draw.dtype or parameter.dtype


def without_tags(location: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """Turn a location of Pydantic into one of the document."""
    return tuple(part for part in location if not (isinstance(part, str) and part.startswith("<")))


def is_case_value(where: Location) -> bool:
    """Whether this location of a manifest is a value that a case gives to a parameter, or is inside one."""
    return len(where) > 3 and where[0] == "cases" and where[2] in ("inputs", "with")


Visibility = Literal["sample", "hidden"]
CaseName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+$", max_length=64)]
# The most cases of a problem; a repeated case counts as often as it repeats.
MAX_CASES = 500


class Case(Model):
    """A case. `arguments` (key `with`) go to the generator by name. Pages show `doc` with a sample.

    `sealed`: only the student's exported program gets the inputs, never the student's Python. `part`: the part of the
    problem whose points the case decides. `size`: the size of the inputs, for a case whose time is compared with the
    reference's. `repeat`: the number of cases that this one stands for, each with its own draws.
    """

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True, serialize_by_alias=True)

    name: CaseName
    visibility: Visibility = "hidden"
    doc: Doc | None = None
    inputs: dict[str, Value] | None = None
    generate: Identifier | None = None
    arguments: dict[Identifier, Any] = Field(default={}, alias="with")
    sealed: Annotated[bool, Strict()] = False
    part: CaseName | None = None
    size: Annotated[Integer, Field(ge=1, le=2**53)] | None = None
    repeat: Annotated[Integer, Field(ge=2, le=MAX_CASES)] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the cases that this one stands for."""
        return (self.name,) if self.repeat is None else tuple(f"{self.name}_{k + 1}" for k in range(self.repeat))

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if self.inputs is None and self.generate is None:
            raise Inconsistent(
                [Conflict((), "has no inputs", "add `inputs:`, or `generate:` with a function of cases.py")]
            )
        if self.inputs is not None and self.generate is not None:
            raise Inconsistent([Conflict(("generate",), "is given together with inputs", "remove one of the two")])
        if self.generate is None and self.arguments:
            raise Inconsistent(
                [
                    Conflict(
                        ("with",),
                        "is given without generate",
                        "remove it, or add `generate:` with a function of cases.py",
                    )
                ]
            )
        if "seed" in self.arguments:
            raise Inconsistent([Conflict(("with", "seed"), "is given by the judge", "remove it, or use another name")])
        return self


def expand(cases: Iterable[Case]) -> tuple[Case, ...]:
    """Replace each repeated case by the cases that it stands for."""
    return tuple(
        case if case.repeat is None else case.model_copy(update={"name": name, "repeat": None})
        for case in cases
        for name in case.names
    )
