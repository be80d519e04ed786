"""What anybody may see of a problem. Nothing here holds a hidden input, an answer or the package's own code."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from app.catalog.checking import AnyChecker
from app.catalog.manifest import Difficulty, Exercise, Limits, Parameter, Returns, Tolerance
from app.catalog.parameter import Framework
from app.catalog.requiring import AnyRequirement
from app.judging.checker import DtypePolicy

# `tried`: something was submitted; `completed`: solved, and its student is through with it.
ProblemState = Literal["new", "tried", "solved", "completed"]


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


class QuestionView(View):
    """A question without its answer."""

    question: str
    choices: tuple[str, ...]


class SampleCase(View):
    """A case that students may see whole."""

    name: str
    doc: str | None
    inputs: dict[str, Any] | None = Field(description="previews by parameter; null until the reference has run")
    expected: dict[str, Any] | None = Field(description="preview of the expected output; null until then")


class ProblemDetail(ProblemSummary):
    """All of a problem that a student sees before solving it."""

    revision: str = Field(description="digest of the revision that new submissions belong to")
    prerequisites: tuple[str, ...]
    license: str | None
    entry_point: str
    parameters: tuple[Parameter, ...]
    returns: Returns
    tolerance: Tolerance | None
class ExerciseVersion(View):
    """A problem that is the same exercise in another framework, or the problem itself."""

    slug: str
    title: str
    label: str = Field(description="what differs, in a few words")
    frameworks: tuple[Framework, ...]


    dtype_policy: DtypePolicy
    checkers: dict[str, AnyChecker] = Field(default={}, description="how leaves are judged, by patterns of their paths")
    limits: Limits
    requirements: tuple[AnyRequirement, ...] = Field(default=(), description="rules on how answers are computed")
    statement: str = Field(description="Markdown, with formulas in $…$")
    exercise: Exercise | None = None
    versions: tuple[ExerciseVersion, ...] = Field(
        default=(), description="all problems of the same exercise, this one among them; none where it is the only one"
    )
    starter: str
    samples: tuple[SampleCase, ...]
    hidden_cases: int = Field(description="how many further cases a submission is judged on")
    hints: tuple[str, ...]
    quiz: tuple[QuestionView, ...]
    example_inputs: str = Field("", description="YAML to begin inputs of your own with, of a sample where possible")
