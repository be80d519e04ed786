"""The public view of a published problem, without hidden inputs, answers and the package's own code."""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, field_validator
from sqlalchemy import (
    ColumnElement,
    Integer,
    Row,
    ScalarSelect,
    Select,
    Text,
    Uuid,
    and_,
    bindparam,
    case,
    collate,
    func,
    select,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import Session, aliased

from app.catalog.access import is_open_to
from app.catalog.answers import list_case_inputs, read_answer
from app.catalog.answers.kind import Definition
from app.catalog.custom_inputs import write_example
from app.catalog.figure import figures_of
from app.catalog.folder import digest
from app.catalog.manifest import Difficulty, Exercise, Limits, Parameter, ProblemPart, Returns, Tolerance
from app.catalog.model import IS_CURRENT, Availability, ExpectedOutput, Problem, Revision, SolveCount
from app.catalog.package import Package
from app.catalog.parameter import Framework, Input
from app.catalog.rule_validation import AnyChecker, AnyRequirement, for_frameworks
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


class ProblemWithdrawn(Invalid):
    """The problem takes no submissions any more."""

    def __init__(self, slug: str) -> None:
        super().__init__("problem", f"The problem {slug} is withdrawn and takes no new submissions. Yours are kept.")


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
        description="`listed`; `unlisted`: in no list; `course`: for a course's members; `draft`: for authors only; "
        "`withdrawn`: takes no submissions",
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
    _for_frameworks = field_validator("requirements")(for_frameworks)
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


def get_problem(session: Session, slug: str, user_id: UUID | None = None) -> ProblemDetail:
    """Raises NotFound, also for a draft unless the user is an author."""
    statement = _OPEN_PROBLEM if user_id is None else _USERS_PROBLEM
    found = session.execute(statement, {"slug": storable(slug), "user_id": user_id}).one_or_none()
    if found is None:
        raise ProblemNotFound(slug)
    return _detail(found)


def get_problem_at(session: Session, slug: str, revision_id: UUID) -> ProblemDetail:
    """Return the problem as of one of its revisions. Raises NotFound."""
    found = session.execute(_PROBLEM_AT, {"slug": storable(slug), "revision_id": revision_id}).one_or_none()
    if found is None:
        raise ProblemNotFound(slug)
    return _detail(found)


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


def read_previews(session: Session, revision_id: UUID) -> Previews:
    """Return the previews of inputs and expected outputs by sample case."""
    found = session.execute(select(_select_previews(), Revision.samples).where(Revision.id == revision_id)).one()
    return _choose_previews(*found)


def _choose_previews(computed: Previews | None, recorded: Mapping[str, Any] | None) -> Previews:
    """Until the reference has run here, the previews are those of the samples that were recorded with the package."""
    return computed or (recorded or {}).get("previews", {})


def _select_previews() -> ScalarSelect[Any]:
    """Select the previews of a revision's samples: variant 0, as samples are alike in all."""
    pair = func.jsonb_build_array(ExpectedOutput.inputs_preview, ExpectedOutput.expected_preview)
    sample = func.jsonb_build_object("name", ExpectedOutput.case_name, "visibility", "sample")
    previews = select(func.jsonb_object_agg(ExpectedOutput.case_name, pair)).where(
        ExpectedOutput.revision_id == Revision.id,
        ExpectedOutput.variant == 0,
        Revision.manifest["cases"].contains(func.jsonb_build_array(sample)),
    )
    return previews.correlate(Revision).scalar_subquery()


def _select_figures() -> ColumnElement[Any]:
    """Select the figures of a revision by path, if its statement shows any: all files are read for it."""
    file = func.jsonb_each_text(Revision.files).table_valued("key", "value")
    figures = select(func.jsonb_object_agg(file.c.key, file.c.value)).where(file.c.key.like("figures/%"))
    has_figures = Revision.manifest["statement"].astext.contains("figures/")
    return case((has_figures, figures.correlate(Revision).scalar_subquery()))


def _select_versions() -> ScalarSelect[Any]:
    """Select the listed problems of a revision's exercise, in the order of tracks."""
    other, its = aliased(Problem), aliased(Revision)
    listing, exercise = its.listing, its.listing["exercise"]
    facts = ("slug", other.slug, "title", listing["title"], "label", exercise["label"])
    version = func.jsonb_build_object(*facts, "frameworks", listing["frameworks"])
    place = (listing["position"].astext.cast(Integer), collate(other.slug, "C"))
    versions = (
        select(func.jsonb_agg(aggregate_order_by(version, *place)))
        .join_from(other, its, its.id == other.current_revision_id)
        .where(other.availability == "listed", exercise["name"].astext == Revision.listing["exercise"]["name"].astext)
    )
    return versions.correlate(Revision).scalar_subquery()


def _select_problem(is_wanted: ColumnElement[bool] = IS_CURRENT) -> Select[Any]:
    """Select what a page shows of the problem `slug` and its wanted revision, in one statement."""
    columns: tuple[Any, ...] = (
        *(Problem.slug, Problem.availability, Revision.number, Revision.digest, Revision.manifest),
        *(SolveCount.submissions, SolveCount.students, SolveCount.solved, SolveCount.accepted),
        Revision.samples.label("recorded"),
        _select_previews().label("computed"),
        _select_figures().label("figures"),
        _select_versions().label("versions"),
    )
    return (
        select(*columns)
        .join(Revision, is_wanted)
        .outerjoin(SolveCount, SolveCount.problem_id == Problem.id)
        .where(Problem.slug == bindparam("slug", type_=Text()))
    )


# Built once: building takes longer than running.
_OPEN_PROBLEM = _select_problem().where(is_open_to(None))
_USERS_PROBLEM = _select_problem().where(is_open_to(bindparam("user_id", type_=Uuid())))
_PROBLEM_AT = _select_problem(
    and_(Revision.problem_id == Problem.id, Revision.id == bindparam("revision_id", type_=Uuid()))
)


def _detail(row: Row[Any]) -> ProblemDetail:
    manifest, versions = row.manifest, row.versions or ()
    previews = _choose_previews(row.computed, row.recorded)
    shown = [each for each in manifest["cases"] if each["visibility"] == "sample"]
    samples = tuple(_sample(each["name"], each["doc"], previews) for each in shown)
    facts = {
        "slug": row.slug,
        "revision": row.number,
        "availability": row.availability,
        "digest": row.digest,
        "attempts": describe_attempts(row),
        "versions": versions[:MOST_SHOWN] if len(versions) > 1 else (),
        "samples": samples,
        "example_inputs": write_example(manifest, {sample.name: sample.inputs for sample in samples}),
        "hidden_cases": len(manifest["cases"]) - len(samples),
        "figures": figures_of(row.figures or {}, manifest["statement"]),
    }
    return ProblemDetail.model_validate(manifest | described_signature(manifest) | facts)


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
