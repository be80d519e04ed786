"""The public view of a published problem, without hidden inputs, answers and the package's own code.

Also who can find and open a problem: it is listed, unlisted, a draft or withdrawn. The state belongs to the problem and
not to a revision, so publishing a new revision does not change it. Submissions, histories and solved problems stay in
every state.
"""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args
from uuid import UUID

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field
from sqlalchemy import ColumnElement, Integer, Row, and_, collate, exists, or_, select
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.permission import RULES, Permission
from app.catalog.answers import list_case_inputs, read_answer
from app.catalog.answers.kind import Definition
from app.catalog.custom_inputs import write_example
from app.catalog.figure import figures_of
from app.catalog.folder import digest
from app.catalog.manifest import Difficulty, Exercise, Limits, Parameter, ProblemPart, Returns, Tolerance
from app.catalog.model import IS_CURRENT, Availability, ExpectedOutput, Problem, Revision, SolveCount
from app.catalog.package import Package
from app.catalog.parameter import Framework, Input
from app.catalog.rule_validation import AnyChecker, AnyRequirement
from app.database.engine import storable
from app.errors import Invalid, ProblemNotFound
from app.judging.checker import DtypePolicy
from app.judging.efficiency import Efficiency

# `tried`: the user has submitted; `completed`: the user has solved the problem and marked it as completed.
ProblemState = Literal["new", "tried", "solved"]
# The number of hints or questions; a manifest has them whole.
Counted = Annotated[int, BeforeValidator(lambda given: given if isinstance(given, int) else len(given))]
MOST_SHOWN = 20
# A solve rate of fewer students would tell what one of them did.
LEAST_STUDENTS = 5
LEAST_SUBMISSIONS = 10
# The inputs and the expected output of samples, by name.
Previews = Mapping[str, tuple[Any, Any]]
__all__ = ["ProblemDetail", "SampleCase", "get_problem"]

# Draft: only authors can open it and submit. Unlisted: everyone who knows the address can. Withdrawn: everyone can
# still read it, and no one can submit.
AVAILABILITIES: tuple[Availability, ...] = get_args(Availability)
# Problems in lists, tracks, searches and suggestions.
IS_LISTED = Problem.availability == "listed"


class ProblemWithdrawn(Invalid):
    """The problem takes no submissions any more."""

    def __init__(self, slug: str) -> None:
        super().__init__("problem", f"The problem {slug} is withdrawn and takes no new submissions. Yours are kept.")


def is_open_to(user_id: UUID | None) -> ColumnElement[bool]:
    """Whether the user may open the problem. Others are told that it does not exist."""
    if user_id is None:
        return Problem.availability != "draft"
    authors = RULES[Permission.WRITE_PROBLEMS].roles
    is_author = exists().where(and_(User.id == user_id, User.role.in_(authors)))
    return or_(Problem.availability != "draft", is_author)


class View(BaseModel):
    """Takes its fields from a manifest and ignores the other keys."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Attempts(View):
    """What students made of a problem, counted every few minutes."""

    students: int = Field(description="how many students have submitted it with all cases")
    submissions: int = Field(description="their judged submissions with all cases")
    solve_rate: float = Field(description="the share of these students who have solved it")
    acceptance_rate: float | None = Field(
        description=f"the share of these submissions that were accepted; null below {LEAST_SUBMISSIONS} submissions"
    )


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
    attempts: Attempts | None = Field(
        None, description=f"null until {LEAST_STUDENTS} students have submitted it with all cases"
    )


class ListedProblem(ProblemSummary):
    """A problem in a list. `prerequisites` are slugs."""

    prerequisites: tuple[str, ...] = ()
    state: ProblemState | None = Field(None, description="how far you are with it; null without a token")
    is_bookmarked: bool | None = Field(None, description="whether you bookmarked it; null without a token")


def describe_attempts(count: SolveCount | Row[Any] | None) -> Attempts | None:
    """Return None for too few students, or without a count. A row has the columns of SolveCount, or None for each."""
    if count is None or count.students is None or count.students < LEAST_STUDENTS:
        return None
    accepted = count.accepted if count.submissions >= LEAST_SUBMISSIONS else None
    return Attempts(
        students=count.students,
        submissions=count.submissions,
        solve_rate=count.solved / count.students,
        acceptance_rate=None if accepted is None else accepted / count.submissions,
    )


class SampleCase(View):
    """A sample case, which students see whole."""

    name: str
    doc: str | None
    inputs: dict[str, Any] | None = Field(description="previews by parameter; null if they are not known yet")
    expected: dict[str, Any] | None = Field(description="preview of the expected output; null likewise")


class ExerciseVersion(View):
    """The same exercise in another framework, or the problem itself."""

    slug: str
    title: str
    label: str = Field(description="what differs, in a few words")
    frameworks: tuple[Framework, ...]


class DefinitionView(View):
    """A further function, or a method."""

    signature: str = Field(description="as students write it, such as `Norm.forward(x)`")
    parameters: tuple[Parameter, ...]
    returns: Returns | None
    doc: str | None


class ProblemDetail(ProblemSummary):
    """Everything that a student sees of a problem before solving it."""

    revision: int | None = Field(
        description="the number of the revision that new submissions belong to; null for a folder, which has none"
    )
    digest: str = Field(description="names the content of that revision")
    availability: Availability = Field(
        default="listed",
        description="`listed`; `unlisted`: in no list; `draft`: for authors only; `withdrawn`: takes no submissions",
    )
    prerequisites: tuple[str, ...]
    exercise: Exercise | None = None
    versions: tuple[ExerciseVersion, ...] = Field(
        default=(), description="all problems of the same exercise, this one among them; none where it is the only one"
    )
    license: str | None
    entry_point: str
    signature: str = Field(description="the function as students write it, such as `scale(x, factor)`")
    parameters: tuple[Parameter, ...] = Field(description="what the function takes, in the order of the call")
    definitions: tuple[DefinitionView, ...] = Field(
        default=(), description="the other functions, or the methods of the class, that students write"
    )
    answer_rule: str = Field(
        default="", description="what the judge compares, if it is not simply what the function returns"
    )
    inputs: tuple[Input, ...] = Field(
        default=(),
        description="what cases give, where the problem makes the function's arguments from it; else empty, and cases "
        "give the parameters",
    )
    returns: Returns
    tolerance: Tolerance | None
    dtype_policy: DtypePolicy
    accept_lists: bool = Field(default=False, description="whether nested lists of numbers may stand for arrays")
    checkers: dict[str, AnyChecker] = Field(default={}, description="how leaves are judged, by patterns of their paths")
    limits: Limits
    requirements: tuple[AnyRequirement, ...] = Field(default=(), description="rules on how answers are computed")
    efficiency: Efficiency | None = Field(
        default=None, description="limits on a solution's time, relative to the reference's; null if there are none"
    )
    sources: tuple[str, ...] = Field(default=(), description="where the facts come from, such as a paper")
    parts: tuple[ProblemPart, ...] = Field(
        default=(), description="groups of cases with their points, which sum to 100"
    )
    statement: str = Field(description="Markdown, with formulas in $…$")
    figures: dict[str, str] = Field(
        default={}, description="the SVG of each figure of the statement, by its path such as `figures/window.svg`"
    )
    starter: str
    samples: tuple[SampleCase, ...]
    example_inputs: str = Field("", description="YAML to begin inputs of your own with, of a sample where possible")
    hidden_cases: int = Field(description="how many further cases a submission is judged on")
    hint_count: Counted = Field(validation_alias=AliasChoices("hint_count", "hints"))
    question_count: Counted = Field(
        validation_alias=AliasChoices("question_count", "quiz"), description="how many questions its quiz asks"
    )


def list_versions(session: Session, revision: Revision) -> tuple[ExerciseVersion, ...]:
    """Return the problems of the same exercise, in the order of tracks; none if there is only this one."""
    exercise = revision.manifest.get("exercise")
    if exercise is None:
        return ()
    listing = Revision.listing
    query = (
        select(Problem.slug, listing["title"], listing["exercise"]["label"], listing["frameworks"])
        .join(Revision, IS_CURRENT)
        .where(IS_LISTED)
        .where(listing["exercise"]["name"].astext == exercise["name"])
        .order_by(listing["position"].astext.cast(Integer), collate(Problem.slug, "C"))
        .limit(MOST_SHOWN)
    )
    found = tuple(
        ExerciseVersion(slug=slug, title=title, label=label, frameworks=frameworks)
        for slug, title, label, frameworks in session.execute(query)
    )
    return found if len(found) > 1 else ()


def get_problem(session: Session, slug: str, user_id: UUID | None = None) -> ProblemDetail:
    """Raises NotFound, also for a draft unless the user is an author."""
    query = (
        select(Problem, Revision).join(Revision, IS_CURRENT).where(Problem.slug == storable(slug), is_open_to(user_id))
    )
    found = session.execute(query).one_or_none()
    if found is None:
        raise ProblemNotFound(slug)
    problem, revision = found
    detail = _detail(problem, revision, _samples(session, revision), list_versions(session, revision))
    return detail.model_copy(update={"attempts": describe_attempts(session.get(SolveCount, problem.id))})


def preview_problem(package: Package, previews: Previews) -> ProblemDetail:
    """Return a package as students will see it, with the samples' previews that are known."""
    manifest = json.loads(package.manifest.model_dump_json())
    samples = [case for case in package.manifest.cases if case.visibility == "sample"]
    files = {path: content.decode() for path, content in package.files.items()}
    facts = {
        "slug": package.slug,
        "revision": None,
        "digest": digest(package.files),
        "statement": package.statement,
        "starter": package.starter,
        "samples": tuple(_sample(case.name, case.doc, previews) for case in samples),
        "hidden_cases": len(package.manifest.cases) - len(samples),
        "figures": figures_of(files, f"{package.statement}\n{package.editorial or ''}"),
    }
    signature = described_signature(manifest)
    return ProblemDetail.model_validate(manifest | signature | facts)


def _sample(name: str, doc: str | None, previews: Previews) -> SampleCase:
    inputs, expected = previews.get(name, (None, None))
    return SampleCase(name=name, doc=doc, inputs=inputs, expected=expected)


def read_previews(session: Session, revision: Revision) -> Previews:
    """Return the previews of inputs and expected outputs by case: variant 0, as samples are alike in all.

    Until the reference has run here, they are those of the samples that were recorded with the package.
    """
    query = select(ExpectedOutput.case_name, ExpectedOutput.inputs_preview, ExpectedOutput.expected_preview).where(
        ExpectedOutput.revision_id == revision.id,
        ExpectedOutput.variant == 0,
        ExpectedOutput.device == ("gpu" if revision.manifest["limits"]["gpu"] else "cpu"),
    )
    computed = {name: (inputs, expected) for name, inputs, expected in session.execute(query)}
    return computed or (revision.samples or {}).get("previews", {})


def _samples(session: Session, revision: Revision) -> tuple[SampleCase, ...]:
    previews = read_previews(session, revision)
    cases = [case for case in revision.manifest["cases"] if case["visibility"] == "sample"]
    return tuple(_sample(case["name"], case["doc"], previews) for case in cases)


def _detail(
    problem: Problem, revision: Revision, samples: tuple[SampleCase, ...], versions: tuple[ExerciseVersion, ...]
) -> ProblemDetail:
    hidden = sum(case["visibility"] == "hidden" for case in revision.manifest["cases"])
    facts = {
        "slug": problem.slug,
        "revision": revision.number,
        "availability": problem.availability,
        "digest": revision.digest,
        "versions": versions,
        "samples": samples,
        "example_inputs": write_example(revision.manifest, {sample.name: sample.inputs for sample in samples}),
        "hidden_cases": hidden,
        "figures": figures_of(revision.files, revision.manifest["statement"]),
    }
    signature = described_signature(revision.manifest)
    return ProblemDetail.model_validate(revision.manifest | signature | facts)


def described_signature(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a problem's view that say what students write and what cases give, from a revision."""
    answer, given, parameters = read_answer(manifest), list_case_inputs(manifest), manifest["parameters"]
    prefix = f"{manifest['entry_point']}." if answer.has_methods else ""
    return {
        "parameters": parameters,
        "inputs": () if manifest.get("inputs") is None and given == parameters else given,
        "signature": f"{manifest['entry_point']}({', '.join(parameter['name'] for parameter in parameters)})",
        "definitions": [_described(prefix, each) for each in answer.definitions()],
        "answer_rule": answer.rule,
    }


def _described(prefix: str, definition: Definition) -> dict[str, Any]:
    signature = f"{prefix}{definition.name}({', '.join(definition.names)})"
    return definition.model_dump(mode="json", exclude={"name"}) | {"signature": signature}
