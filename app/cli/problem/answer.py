"""Reading the answers that `allclose problem new` gets. Each reader raises AnswerUnfit."""

import re
from collections.abc import Callable
from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError

from app.catalog.manifest import MAX_SLUG, Difficulty, is_slug
from app.catalog.parameter import Identifier, Parameter
from app.catalog.template.exercise import FRAMEWORKS
from app.errors import AllcloseError
from app.wrong_value import list_wrong

DIFFICULTIES: tuple[str, ...] = get_args(Difficulty)
_ARRAY_TYPE = {"numpy": "numpy", "torch": "torch"}
_PARAMETER = re.compile(r"\s*(\w+)\s*:\s*(\w+)\s*(?:\[([^\]]*)\])?\s*")
# Commas also stand between the sizes of a shape.
_BETWEEN_PARAMETERS = re.compile(r",(?![^\[]*\])")


class AnswerUnfit(AllcloseError):
    """An answer that can't be used; the text says what can."""


def read_slug(text: str) -> str:
    if not is_slug(text):
        raise AnswerUnfit(f"{text!r} can't be a slug: use at most {MAX_SLUG} lower-case letters, digits, _ and -")
    return text


def line_of(limit: int) -> Callable[[str], str]:
    def read(text: str) -> str:
        line = " ".join(text.split())
        if not 0 < len(line) <= limit or not line.isprintable():
            raise AnswerUnfit(f"write one line of at most {limit} characters")
        return line

    return read


def one_of(words: tuple[str, ...]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text.strip().lower() not in words:
            raise AnswerUnfit(f"{text!r} is none of {', '.join(words)}")
        return text.strip().lower()

    return read


def read_framework(text: str) -> str:
    return one_of(FRAMEWORKS)(text)


def read_name(text: str) -> str:
    try:
        return TypeAdapter(Identifier).validate_python(text.strip())
    except ValidationError:
        raise AnswerUnfit(f"{text!r} can't be the name of a Python function") from None


def read_minutes(text: str) -> int:
    if not text.strip().isdecimal() or not 1 <= int(text) <= 1000:
        raise AnswerUnfit(f"{text!r} is no number of minutes from 1 to 1000")
    return int(text)


def parameters_for(framework: str) -> Callable[[str], tuple[Parameter, ...]]:
    """Reads `x: float32[N, D], eps: float`."""

    def read(text: str) -> tuple[Parameter, ...]:
        return tuple(_parameter(each.strip(), framework) for each in _BETWEEN_PARAMETERS.split(text))

    return read


def write_parameters(parameters: tuple[Parameter, ...]) -> str:
    return ", ".join(f"{each.name}: {_type_text(each)}" for each in parameters)


def _type_text(parameter: Parameter) -> str:
    sizes = ", ".join(map(str, parameter.shape or ()))
    return f"{parameter.dtype}[{sizes}]" if parameter.is_array else parameter.type


def _parameter(text: str, framework: str) -> Parameter:
    match = _PARAMETER.fullmatch(text)
    if match is None:
        raise AnswerUnfit(f"{text!r} is no parameter: write `x: float32[N, D]` or `lr: float`")
    name, kind, shape = match.groups()
    content: dict[str, Any] = {"name": name, "type": kind}
    if shape is not None:
        sizes = [size.strip() for size in shape.split(",") if size.strip()]
        content["shape"] = [int(size) if size.isdecimal() else size for size in sizes]
        content |= {"type": _ARRAY_TYPE.get(framework, "jax"), "dtype": kind}
    try:
        return Parameter.model_validate(content)
    except ValidationError as error:
        reason = list_wrong(error)[0].reason
        raise AnswerUnfit(f"{text!r} is no parameter ({reason}): write `x: float32[N, D]` or `lr: float`") from None
