"""What anybody may see of a problem. Nothing here holds a hidden input, an answer or the package's own code."""

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field

from app.catalog.checking import AnyChecker
from app.catalog.manifest import Difficulty, Exercise, Limits, Parameter, Returns, Tolerance
from app.catalog.parameter import Framework, Input
from app.catalog.requiring import AnyRequirement
from app.judging.checker import DtypePolicy

# `tried`: something was submitted; `completed`: solved, and its student is through with it.
ProblemState = Literal["new", "tried", "solved", "completed"]

# Of hints and questions, which a manifest holds whole, a view has the number only.
Counted = Annotated[int, BeforeValidator(lambda given: given if isinstance(given, int) else len(given))]


class View(BaseModel):
    """Takes what it names from a manifest, and leaves the rest."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class ProblemSummary(View):
    slug: str
    title: str
    summary: str
    difficulty: Difficulty
    estimated_minutes: int
    tags: tuple[str, ...]
    track: str | None
    position: int | None
    frameworks: tuple[Framework, ...]


class ListedProblem(ProblemSummary):
    """A problem as lists have it. `prerequisites` are slugs."""

    prerequisites: tuple[str, ...] = ()
    state: ProblemState | None = Field(None, description="how far you are with it; null without a token")


class SampleCase(View):
    """A case that students may see whole."""

    name: str
    doc: str | None
    inputs: dict[str, Any] | None = Field(description="previews by parameter; null until the reference has run")
    expected: dict[str, Any] | None = Field(description="preview of the expected output; null until then")


class ExerciseVersion(View):
    """A problem that is the same exercise in another framework, or the problem itself."""

    slug: str
    title: str
    label: str = Field(description="what differs, in a few words")
    frameworks: tuple[Framework, ...]


class ProblemDetail(ProblemSummary):
    """All of a problem that a student sees before solving it."""

    revision: int | None = Field(
        description="the number of the revision that new submissions belong to; null for a folder, which has none"
    )
    digest: str = Field(description="names the content of that revision")
    prerequisites: tuple[str, ...]
    exercise: Exercise | None = None
    versions: tuple[ExerciseVersion, ...] = Field(
        default=(), description="all problems of the same exercise, this one among them; none where it is the only one"
    )
    license: str | None
    entry_point: str
    signature: str = Field(description="the function as students write it, such as `scale(x, factor)`")
    parameters: tuple[Parameter, ...] = Field(description="what the function takes, in the order of the call")
    inputs: tuple[Input, ...] = Field(
        default=(),
        description="what cases give, where the problem makes the function's arguments from it; else empty, and cases "
        "give the parameters",
    )
    returns: Returns
    tolerance: Tolerance | None
    dtype_policy: DtypePolicy
    checkers: dict[str, AnyChecker] = Field(default={}, description="how leaves are judged, by patterns of their paths")
    limits: Limits
    requirements: tuple[AnyRequirement, ...] = Field(default=(), description="rules on how answers are computed")
    statement: str = Field(description="Markdown, with formulas in $…$")
    starter: str
    samples: tuple[SampleCase, ...]
    example_inputs: str = Field("", description="YAML to begin inputs of your own with, of a sample where possible")
    hidden_cases: int = Field(description="how many further cases a submission is judged on")
    hint_count: Counted = Field(validation_alias=AliasChoices("hint_count", "hints"))
    question_count: Counted = Field(
        validation_alias=AliasChoices("question_count", "quiz"), description="how many questions its quiz asks"
    )
