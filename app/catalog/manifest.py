"""The model of `problem.yaml`: every key, its type and limits, and its JSON Schema.

`manifest_validation` has the rules between keys. With the schema, editors complete and check what an author types.
"""

import re
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    Strict,
    StringConstraints,
    field_validator,
    model_validator,
)

from app.catalog.answers import AnyAnswer
from app.catalog.answers.one_function import Function
from app.catalog.case import MAX_CASES, Case, CaseName
from app.catalog.fault import Conflict, Inconsistent
from app.catalog.parameter import FUNCTION, IMPLIED, KERNEL_FRAMEWORKS, Framework, Identifier, Input, Parameter, Returns
from app.catalog.rule_validation import AnyChecker, AnyRequirement, for_frameworks
from app.judging.checker import DtypePolicy
from app.judging.efficiency import Efficiency
from app.judging.options import Integer, Margin, Model, Number

__all__ = [
    "Case",
    "Exercise",
    "Inline",
    "Limits",
    "Manifest",
    "Parameter",
    "ProblemPart",
    "Question",
    "Returns",
    "Tolerance",
]

Difficulty = Literal["beginner", "intermediate", "advanced"]
SLUG = r"^[a-z0-9][a-z0-9_-]*$"
MAX_SLUG = 64
Slug = Annotated[str, StringConstraints(pattern=SLUG, max_length=MAX_SLUG)]
Tag = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9+._-]*$", max_length=40)]
FileName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+(\.py)?$", max_length=64)]


def is_slug(text: str) -> bool:
    return len(text) <= MAX_SLUG and re.fullmatch(SLUG, text) is not None


def _line(limit: int) -> Any:
    return StringConstraints(min_length=1, max_length=limit, strip_whitespace=True, pattern=r"^[^\n]*$")


def _text(limit: int) -> Any:
    return StringConstraints(min_length=1, max_length=limit)


Pattern = Annotated[str, _line(200)]


class Tolerance(Margin):
    """`leaves` overrides the tolerance of the leaves whose path matches a pattern (`history`, `params/*`)."""

    leaves: dict[Pattern, Margin] = Field(default={})


class Limits(Model):
    """Limits per case. With `gpu`, submissions go to the queue `gpu`.

    `interpreter`: their kernels may be interpreted, as they are while no worker has a GPU.
    """

    wall_seconds: Annotated[Number, Field(gt=0, le=300)] = 10.0
    memory_mib: Annotated[Integer, Field(ge=64, le=65_536)] = 1024
    gpu: Annotated[bool, Strict()] = False
    interpreter: Annotated[bool, Strict()] = False


P = TypeVar("P", bound=BaseModel)


def interpret(problem: P, limits: Limits) -> P:
    """Return the problem as it is judged where no GPU is: by interpreter if it may be, whose times say nothing."""
    if not limits.interpreter:
        return problem
    return problem.model_copy(update={"limits": limits.model_copy(update={"gpu": False}), "efficiency": None})


class Exercise(Model):
    """Problems with the same `name` are one exercise in several frameworks. `label` names the difference."""

    name: Slug
    label: Annotated[str, _line(40)]


class ProblemPart(Model):
    """A group of cases. Its points count if all of its cases are accepted."""

    name: CaseName
    title: Annotated[str, _line(120)]
    points: Annotated[Integer, Field(ge=1, le=100)]


class Question(Model):
    """`answer` is the index of the right choice, from 0."""

    question: Annotated[str, _text(2000)]
    choices: Annotated[tuple[Annotated[str, _text(500)], ...], Field(min_length=2, max_length=10)]
    answer: Annotated[Integer, Field(ge=0)]
    explanation: Annotated[str, _text(4000)] | None = None

    @model_validator(mode="after")
    def _answer_exists(self) -> Self:
        last = len(self.choices) - 1
        if self.answer > last:
            message = f"is {self.answer}, but the {last + 1} choices are numbered 0 to {last}"
            raise Inconsistent([Conflict(("answer",), message, "give the index of the right choice")])
        return self


def _with_implied(frameworks: tuple[Framework, ...]) -> tuple[Framework, ...]:
    implied = (IMPLIED[name] for name in frameworks if name in IMPLIED)
    return (*frameworks, *(name for name in dict.fromkeys(implied) if name not in frameworks))


class Manifest(Model):
    """A problem without its texts and code. In a package, the cases that a repeated case stands for replace it."""

    title: Annotated[str, _line(120)]
    summary: Annotated[str, _line(300)]
    difficulty: Difficulty
    estimated_minutes: Annotated[Integer, Field(ge=1, le=1000)]
    tags: Annotated[tuple[Tag, ...], Field(max_length=20)] = ()
    track: Slug | None = None
    position: Annotated[Integer, Field(ge=1, le=10_000)] | None = None
    prerequisites: Annotated[tuple[Slug, ...], Field(max_length=50)] = ()
    exercise: Exercise | None = None
    frameworks: Annotated[tuple[Framework, ...], Field(min_length=1), AfterValidator(_with_implied)]
    entry_point: Identifier
    parameters: Annotated[tuple[Parameter, ...], Field(max_length=50)]
    inputs: Annotated[tuple[Input, ...], Field(min_length=1, max_length=50)] | None = None
    answer: AnyAnswer = Function()
    returns: Returns
    tolerance: Tolerance | None = None
    dtype_policy: DtypePolicy = "kind"
    accept_lists: Annotated[bool, Strict()] = False
    checkers: Annotated[dict[Pattern, AnyChecker], Field(default={}, max_length=50)]
    limits: Limits = Limits()
    deterministic: Annotated[bool, Strict()] = True
    may_change: Annotated[tuple[Identifier, ...], Field(max_length=50)] = ()
    requirements: Annotated[tuple[AnyRequirement, ...], Field(max_length=50)] = ()
    efficiency: Efficiency | None = None
    variants: Annotated[Integer, Field(ge=1, le=100)] = 3
    parts: Annotated[tuple[ProblemPart, ...], Field(max_length=20)] = ()
    cases: Annotated[tuple[Case, ...], Field(min_length=1, max_length=MAX_CASES)]
    hints: Annotated[tuple[Annotated[str, _text(4000)], ...], Field(max_length=50)] = ()
    quiz: Annotated[tuple[Question, ...], Field(max_length=50)] = ()
    license: Annotated[str, _line(100)] | None = None
    sources: Annotated[tuple[Annotated[str, _line(300)], ...], Field(max_length=30)] = ()

    _for_frameworks = field_validator("requirements")(for_frameworks)

    @property
    def declared_inputs(self) -> tuple[Parameter, ...]:
        """Return what the manifest declares that cases give: `inputs`, else `parameters`."""
        return self.parameters if self.inputs is None else self.inputs

    @property
    def case_inputs(self) -> tuple[Parameter, ...]:
        """Return what cases give: the declared inputs, with those of the kind of answer."""
        return self.answer.case_inputs(self.entry_point, self.declared_inputs)

    @property
    def definitions(self) -> dict[str, tuple[str, ...]]:
        """Return the parameter names of the other functions, or of the methods, such as `Norm.forward`."""
        prefix = f"{self.entry_point}." if self.answer.has_methods else ""
        return {f"{prefix}{each.name}": each.names for each in self.answer.definitions()}

    @property
    def functions(self) -> tuple[str, ...]:
        """Return the names of the solution's arguments that are functions."""
        return (*(each.name for each in self.parameters if each.type == FUNCTION), *self.functions_of_methods)

    @property
    def functions_of_methods(self) -> tuple[str, ...]:
        """Return the names of the parameters of methods that are functions."""
        definitions = self.answer.definitions() if self.answer.has_methods else ()
        return tuple(each.name for one in definitions for each in one.parameters if each.type == FUNCTION)

    @property
    def changeable(self) -> frozenset[str]:
        """Return the inputs that a solution may change in place."""
        return frozenset({*self.may_change, *self.answer.changes})

    @property
    def is_interpreted(self) -> bool:
        """Whether an interpreter runs the kernels, so that times say nothing about them."""
        return not self.limits.gpu and not KERNEL_FRAMEWORKS.isdisjoint(self.frameworks)

    @property
    def asks_for_programs(self) -> bool:
        """Whether a requirement judges the exported program of every case."""
        return any(requirement.basis == "program" for requirement in self.requirements)

    @property
    def is_traced(self) -> bool:
        """Whether the judge exports solutions as programs."""
        return self.asks_for_programs or any(case.sealed for case in self.cases)

    @property
    def timed_cases(self) -> dict[str, int]:
        """Return the size of each case whose time is compared with the reference's, the smallest first."""
        sizes = [(case.size, case.name) for case in self.cases if case.size is not None and self.efficiency is not None]
        return {name: size for size, name in sorted(sizes, key=lambda pair: pair[0])}


class Inline(Model):
    """Texts and code that `problem.yaml` may contain in place of files."""

    statement: str | None = None
    starter: str | None = None
    reference: str | None = None
    driver: str | None = None
    arguments: str | None = None
    generators: str | None = None
    property: str | None = None
    editorial: str | None = None
    notes: str | None = None
    submissions: dict[str, dict[FileName, str]] = Field(default={})


class ProblemFile(Manifest, Inline):
    """The whole `problem.yaml`."""


def manifest_schema() -> dict[str, Any]:
    schema = ProblemFile.model_json_schema()
    value = schema["$defs"]["Value"]
    # A schema can't exclude draws and arrays from plain mappings by a tag, so `not` does it.
    value["anyOf"] = value.pop("oneOf")
    for option in value["anyOf"]:
        if "additionalProperties" in option:
            option["not"] = {"anyOf": [{"required": ["draw"]}, {"required": ["array"]}]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema | {"title": "Allclose problem"}
