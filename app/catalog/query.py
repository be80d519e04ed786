"""The public view of a published problem, without hidden inputs, answers and the package's own code."""

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field
from sqlalchemy import Integer, Row, collate, select
from sqlalchemy.orm import Session

from app.catalog.answers import list_case_inputs
from app.catalog.figure import figures_of
from app.catalog.folder import digest
from app.catalog.manifest import Difficulty, Exercise, Limits, Parameter, ProblemPart, Returns, Tolerance
from app.catalog.model import IS_CURRENT, Availability, ExpectedOutput, Problem, Revision, SolveCount
from app.catalog.package import Package
from app.catalog.parameter import ELLIPSIS, Framework, Input
from app.catalog.query import IS_LISTED, described_signature, is_open_to
from app.catalog.rule_validation import AnyChecker, AnyRequirement
from app.catalog.yaml_document import is_text
from app.database.engine import storable
from app.errors import ProblemNotFound
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
WIDTH = 72
# The example's value for a symbolic size.
SMALL = 2
_ZEROS: dict[str, Any] = {"float": 0.5, "int": 1, "bool": False, "str": "text", "list": [], "dict": {}}
_WORDS = {"nan": ".nan", "inf": ".inf", "-inf": "-.inf"}
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.")
Inputs = dict[str, Any]
# The inputs and the expected output of samples, by name.
Previews = Mapping[str, tuple[Any, Any]]
__all__ = ["ProblemDetail", "SampleCase", "get_problem"]


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


class _Hidden(Exception):
    """A value that can't be an example: drawn, generated or too large."""


def write_example(manifest: Mapping[str, Any], samples: Sequence[SampleCase]) -> str:
    """Return example inputs as a student types them, from the first sample with literal or previewed inputs.

    x: [1, 2.5]
    y:
      [[1, 2],
       [3, 4]]
    """
    parameters: list[Mapping[str, Any]] = list(list_case_inputs(manifest))
    inputs = next(_candidates(manifest, parameters, samples), None)
    if inputs is None:
        inputs = {parameter["name"]: _zeros(parameter) for parameter in parameters}
    return "".join(_entry(name, value) for name, value in inputs.items())


def _candidates(
    manifest: Mapping[str, Any], parameters: Sequence[Mapping[str, Any]], samples: Sequence[SampleCase]
) -> Iterator[Inputs]:
    given = {case["name"]: case.get("inputs") for case in manifest.get("cases", ())}
    for sample in samples:
        for values in (_literal_inputs, _shown_inputs):
            try:
                yield values(parameters, given.get(sample.name), sample.inputs)
            except _Hidden:
                continue


def _literal_inputs(parameters: Sequence[Mapping[str, Any]], given: Inputs | None, _: Inputs | None) -> Inputs:
    """Return the literals of the manifest."""
    if given is None:
        raise _Hidden
    names = [p["name"] for p in parameters if p["name"] in given]
    return {name: None if given[name] is None else _literal(given[name]) for name in names}


def _literal(value: Any) -> Any:
    if value is None or (isinstance(value, dict) and "draw" in value):  # null stands for NaN, which JSON lacks
        raise _Hidden
    if isinstance(value, dict) and "array" in value:
        kept = {"array": _literal(value["array"])}
        return kept | ({"dtype": value["dtype"]} if value.get("dtype") else {})
    if isinstance(value, dict):
        if not all(map(is_text, value)):  # a number, or a text like it: JSON has texts only
            raise _Hidden
        return {key: _literal(item) for key, item in value.items()}
    return [_literal(item) for item in value] if isinstance(value, list) else value


def _shown_inputs(parameters: Sequence[Mapping[str, Any]], _: Inputs | None, previews: Inputs | None) -> Inputs:
    """Return the values of the previews, if they are whole."""
    if previews is None:
        raise _Hidden
    return {p["name"]: _shown(p, previews[p["name"]]) for p in parameters if p["name"] in previews}


def _shown(parameter: Mapping[str, Any], preview: Mapping[str, Any]) -> Any:
    leaves = preview["leaves"]
    if preview["left_out"] or any("values" not in leaf for leaf in leaves):
        raise _Hidden
    pieces = preview.get("python", [None])
    if pieces == [0]:
        return leaves[0]["values"]
    texts = [piece if isinstance(piece, str) else repr(_array(parameter, leaves, piece)) for piece in pieces]
    try:
        value = ast.literal_eval("".join(texts))
        json.dumps(value)
    except (ValueError, SyntaxError, TypeError):  # NaN, inf, and what YAML lacks: complex numbers, tuples as keys
        raise _Hidden from None
    return value


def _array(parameter: Mapping[str, Any], leaves: Sequence[Mapping[str, Any]], number: int | None) -> Any:
    if number is None:
        raise _Hidden
    values, dtype = leaves[number]["values"], leaves[number]["dtype"]
    return {"array": values} if dtype == parameter["dtype"] else {"array": values, "dtype": dtype}


def _zeros(parameter: Mapping[str, Any]) -> Any:
    if parameter["type"] in _ZEROS:
        return _ZEROS[parameter["type"]]
    value: Any = False if parameter["dtype"] == "bool" else 0
    for size in reversed([size for size in parameter["shape"] if size != ELLIPSIS]):
        value = [value] * (size if isinstance(size, int) else SMALL)
    return value


def _entry(name: str, value: Any) -> str:
    text = _flow(value)
    if len(name) + len(text) > WIDTH and isinstance(value, list | dict) and value:
        text = "\n  " + ("[" if isinstance(value, list) else "{") + ",\n   ".join(_items(value)) + text[-1]
        return f"{name}:{text}\n"
    return f"{name}: {text}\n"


def _flow(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(_items(value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(_items(value))}}}"
    if isinstance(value, str):
        return _WORDS.get(value) or json.dumps(value, ensure_ascii=False)
    return json.dumps(value)


def _items(value: list[Any] | tuple[Any, ...] | dict[Any, Any]) -> list[str]:
    if isinstance(value, list | tuple):
        return [_flow(item) for item in value]
    return [f"{_key(key)}: {_flow(item)}" for key, item in value.items()]


def _key(key: Any) -> str:
    is_plain = isinstance(key, str) and key and set(key) <= _PLAIN and is_text(key)
    return str(key) if is_plain else json.dumps(key, ensure_ascii=False)


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
        "example_inputs": write_example(revision.manifest, samples),
        "hidden_cases": hidden,
        "figures": figures_of(revision.files, revision.manifest["statement"]),
    }
    signature = described_signature(revision.manifest)
    return ProblemDetail.model_validate(revision.manifest | signature | facts)
