"""The declarations of parameters, of the inputs of cases, and of what a solution returns."""

import keyword
import re
from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar, Literal, get_args

from pydantic import AfterValidator, Discriminator, Field, Strict, StringConstraints, Tag, model_validator

from app.catalog.dtype import WIDE_DTYPES, DType
from app.catalog.fault import Conflict, Inconsistent
from app.judging.options import Model

Framework = Literal["numpy", "jax", "flax", "optax", "pallas", "torch", "triton"]
ArrayKind = Literal["jax", "torch", "numpy"]
Kind = Literal["jax", "torch", "numpy", "value"]
Type = Literal["jax", "torch", "numpy", "float", "int", "bool", "str", "list", "dict"]
ReturnType = Literal["jax", "torch", "numpy", "float", "int", "bool", "str", "bytes", "list", "dict"]
ARRAY_KINDS: tuple[ArrayKind, ...] = get_args(ArrayKind)
# A framework that is part of another, or needs it.
IMPLIED: dict[Framework, Framework] = {"pallas": "jax", "triton": "torch"}
# Those whose kernels are interpreted where no GPU is.
KERNEL_FRAMEWORKS: frozenset[str] = frozenset({"pallas", "triton"})
# Frameworks that a runtime may lack (`sandbox.guest.zygote`).
OPTIONAL_FRAMEWORKS: frozenset[str] = frozenset({"triton"})
IMPORTS_PALLAS = re.compile(
    r"^\s*(from jax\.experimental import .*\bpallas\b|(import|from) jax\.experimental\.pallas\b)", re.M
)
# A box needs at least one of these frameworks to make such an array.
FRAMEWORKS_OF: dict[ArrayKind, tuple[Framework, ...]] = {
    "jax": ("jax", "flax", "optax"),
    "torch": ("torch",),
    "numpy": get_args(Framework),
}


def _not_keyword(name: str) -> str:
    if keyword.iskeyword(name):
        raise Inconsistent([Conflict((), f"is {name!r}, a Python keyword", "choose another name")])
    return name


Identifier = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=64), AfterValidator(_not_keyword)
]
Symbol = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]*$", max_length=16)]
# Any number of axes, also none. A shape has at most one.
ELLIPSIS = "..."
Size = Annotated[
    Annotated[int, Strict(), Field(ge=0), Tag("<number>")]
    | Annotated[Symbol, Tag("<symbol>")]
    | Annotated[Literal["..."], Tag("<any>")],
    Discriminator(lambda size: "<any>" if size == ELLIPSIS else "<symbol>" if isinstance(size, str) else "<number>"),
]
# A type that a case can't give: the dotted name of a class, such as torch.nn.Module, or object, or function.
FUNCTION = "function"
CLASS_NAME = r"^(object|function|([A-Za-z_][A-Za-z0-9_]*\.)+[A-Za-z_][A-Za-z0-9_]*)$"
ClassName = Annotated[str, StringConstraints(pattern=CLASS_NAME, max_length=100)]
AnyType = Annotated[
    Annotated[Type, Tag("<word>")] | Annotated[ClassName, Tag("<class>")],
    Discriminator(
        lambda given: (
            "<class>" if isinstance(given, str) and ("." in given or given in ("object", FUNCTION)) else "<word>"
        )
    ),
]
Doc = Annotated[str, StringConstraints(min_length=1, max_length=500)]


class Described(Model):
    """A declared value. `shape` has numbers and symbolic sizes such as `N`, which agree within a case.

    `...` in it stands for any number of axes.
    """

    type: AnyType
    shape: Annotated[tuple[Size, ...], Field(max_length=32)] | None = None
    dtype: DType | None = None
    doc: Doc | None = None

    @property
    def is_array(self) -> bool:
        return self.type in ARRAY_KINDS

    @property
    def is_any_rank(self) -> bool:
        return ELLIPSIS in (self.shape or ())

    @property
    def symbols(self) -> tuple[str, ...]:
        return tuple(size for size in self.shape or () if isinstance(size, str) and size != ELLIPSIS)

    def sizes(self, shape: Sequence[int]) -> tuple[tuple[int | str, int], ...] | None:
        """Pair the declared sizes with those of an array, without the axes of `...`. None if the ranks differ."""
        declared = self.shape or ()
        if not self.is_any_rank:
            return tuple(zip(declared, shape, strict=True)) if len(declared) == len(shape) else None
        place = declared.index(ELLIPSIS)
        before, after = declared[:place], declared[place + 1 :]
        if len(before) + len(after) > len(shape):
            return None
        last = shape[len(shape) - len(after) :]
        return (*zip(before, shape, strict=False), *zip(after, last, strict=True))


class Parameter(Described):
    """A parameter of the solution. `leaves` is the kind of the arrays in a list or mapping, `dtype` their default type.

    `static`: the value is known while JAX traces the solution, so shapes and lengths may depend on it.
    """

    noun: ClassVar[str] = "parameter"

    name: Identifier
    leaves: ArrayKind | None = None
    nullable: Annotated[bool, Strict()] = False
    static: Annotated[bool, Strict()] = False

    @property
    def is_object(self) -> bool:
        """Whether a case can't give the value: a driver or `arguments.py` makes it."""
        return self.type not in get_args(Type)

    @property
    def kind(self) -> Kind:
        """Return the kind into which a box converts the arrays of this argument."""
        return self.array_kind or "value"

    @property
    def array_kind(self) -> ArrayKind | None:
        return next((kind for kind in ARRAY_KINDS if kind == self.type), self.leaves)

    @model_validator(mode="after")
    def _fits_together(self) -> "Parameter":
        if conflicts := [
            *_array_conflicts(self),
            *_plain_conflicts(self),
            *_width_conflicts(self),
            *_static_conflicts(self),
        ]:
            raise Inconsistent(conflicts)
        return self


class Input(Parameter):
    """A value that a case gives to the driver, which makes the solution's arguments from it."""

    noun: ClassVar[str] = "input"

    type: Type


class Returned(Described):
    """One form of the solution's result."""

    type: ReturnType


class Returns(Returned):
    """The declared result of the solution. `alternatives`: other forms that it has in some cases.

    `optional`: keys of a dict that a solution may leave out.
    """

    alternatives: Annotated[tuple[Returned, ...], Field(max_length=5)] = ()
    optional: Annotated[tuple[str, ...], Field(max_length=50)] = ()

    @model_validator(mode="after")
    def _is_dict(self) -> "Returns":
        if self.optional and self.type != "dict":
            message = f"is given for type {self.type}"
            raise Inconsistent([Conflict(("optional",), message, "remove it: only a dict has keys")])
        return self


def _array_conflicts(parameter: Parameter) -> Iterator[Conflict]:
    if not parameter.is_array:
        return
    what = f"an array ({parameter.type})"
    if (parameter.shape or ()).count(ELLIPSIS) > 1:
        yield Conflict(("shape",), "has ... twice", "keep one, and name the other axes")
    if parameter.shape is None:
        yield Conflict(("shape",), f"is missing for {what}", "add `shape: [N]`, or `shape: []` for one number")
    if parameter.dtype is None:
        yield Conflict(("dtype",), f"is missing for {what}", "add `dtype: float32` or another element type")
    if parameter.leaves is not None:
        yield Conflict(("leaves",), f"is given for {what}", "remove it: only types list and dict have leaves")


def _plain_conflicts(parameter: Parameter) -> Iterator[Conflict]:
    if parameter.is_array:
        return
    arrays = "for an array use type jax, torch or numpy"
    if parameter.shape is not None:
        yield Conflict(("shape",), f"is given for type {parameter.type}", f"remove it; {arrays}")
    if parameter.type in ("list", "dict"):
        return
    for key in ("dtype", "leaves"):
        if getattr(parameter, key) is not None:
            yield Conflict((key,), f"is given for type {parameter.type}", f"remove it; {arrays}")


def _width_conflicts(parameter: Parameter) -> Iterator[Conflict]:
    if parameter.array_kind == "jax" and parameter.dtype in WIDE_DTYPES:
        narrow = (
            parameter.dtype.replace("128", "64") if "128" in parameter.dtype else parameter.dtype.replace("64", "32")
        )
        yield Conflict(("dtype",), f"is {parameter.dtype}, but JAX computes in 32 bits here", f"use {narrow}")


def _static_conflicts(parameter: Parameter) -> Iterator[Conflict]:
    if parameter.static and parameter.type not in ("float", "int", "bool", "str"):
        remedy = "remove it: only float, int, bool and str can be static"
        yield Conflict(("static",), f"is given for type {parameter.type}, which is traced", remedy)
