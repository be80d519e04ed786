"""Reading published problems, as anybody may see them."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Integer, Row, Select, collate, func, select, tuple_
from sqlalchemy.orm import Session

from app.catalog.cursor import Place, read_cursor, write_cursor
from app.catalog.example_inputs import write_example
from app.catalog.exercise import list_versions
from app.catalog.model import ExpectedOutput, Problem, Revision
from app.catalog.view import ExerciseVersion, ProblemDetail, ProblemSummary, QuestionView, SampleCase
from app.errors import NotFound

__all__ = [
    "ProblemDetail",
    "ProblemFilters",
    "ProblemSummary",
    "QuestionView",
    "SampleCase",
    "get_problem",
    "list_problems",
]

_TRACK = Revision.manifest["track"].astext
_POSITION = func.coalesce(Revision.manifest["position"].astext.cast(Integer), 0)
# Problems without a track come last. Bytewise order is the same on every server.
_ORDER = (_TRACK.is_(None), collate(func.coalesce(_TRACK, ""), "C"), _POSITION, collate(Problem.slug, "C"))
_SUMMARY = tuple(Revision.manifest[key].label(key) for key in ProblemSummary.model_fields if key != "slug")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemFilters:
    """All that are given must hold; `q` is words, each of which stands in the title, summary, slug or tags."""

    tag: str | None = None
    difficulty: str | None = None
    track: str | None = None
    q: str | None = None


def list_problems(
    session: Session, filters: ProblemFilters, cursor: str | None = None, limit: int = 50
) -> tuple[tuple[ProblemSummary, ...], str | None]:
    """One page, by track, position and slug, and the cursor of the next page or None. Raises Invalid for the cursor."""
    query = _published(Problem.slug, *_SUMMARY, *_ORDER).where(*_conditions(filters))
    if cursor is not None:
        query = query.where(tuple_(*_ORDER) > tuple_(*map(_storable, read_cursor(cursor))))
    rows = session.execute(query.order_by(*_ORDER).limit(limit + 1)).all()
    page = tuple(ProblemSummary.model_validate(dict(row._mapping)) for row in rows[:limit])
    return page, write_cursor(_place(rows[limit - 1])) if len(rows) > limit else None


def get_problem(session: Session, slug: str) -> ProblemDetail:
    """Raises NotFound."""
    query = _published(Problem, Revision).where(Problem.slug == _storable(slug))
    found = session.execute(query).one_or_none()
    if found is None:
        raise NotFound(f"there is no problem {slug!r}; the list of problems has all of them")
    problem, revision = found
    return _detail(problem, revision, _samples(session, revision), list_versions(session, revision))


def _published(*columns: Any) -> Select[Any]:
    return select(*columns).join(Revision, Revision.id == Problem.current_revision_id)


def _conditions(filters: ProblemFilters) -> list[ColumnElement[bool]]:
    conditions = [
        Revision.manifest[key].astext == _storable(value)
        for key, value in (("difficulty", filters.difficulty), ("track", filters.track))
        if value is not None
    ]
    if filters.tag is not None:
        conditions.append(Revision.manifest["tags"].contains([_storable(filters.tag)]))
    text = func.concat_ws(" ", Problem.slug, *(Revision.manifest[key].astext for key in ("title", "summary", "tags")))
    return conditions + [text.icontains(_storable(word), autoescape=True) for word in (filters.q or "").split()[:10]]


def _storable(value: Any) -> Any:
    """PostgreSQL refuses texts with NUL or lone surrogates; with a stand-in they are merely not found."""
    if not isinstance(value, str):
        return value
    return value.encode(errors="replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")


def _place(row: Row[Any]) -> Place:
    no_track, track, position, slug = row[-len(_ORDER) :]
    return no_track, track, position, slug


def _samples(session: Session, revision: Revision) -> tuple[SampleCase, ...]:
    """Samples are the same in every variant, so that the first has what there is to see."""
    query = select(ExpectedOutput.case_name, ExpectedOutput.inputs_preview, ExpectedOutput.expected_preview).where(
        ExpectedOutput.revision_id == revision.id,
        ExpectedOutput.variant == 0,
        ExpectedOutput.device == ("gpu" if revision.manifest["limits"]["gpu"] else "cpu"),
    )
    previews = {name: (inputs, expected) for name, inputs, expected in session.execute(query)}
    return tuple(
        SampleCase(name=case["name"], doc=case["doc"], inputs=inputs, expected=expected)
        for case in revision.manifest["cases"]
        if case["visibility"] == "sample"
        for inputs, expected in [previews.get(case["name"], (None, None))]
    )


def _detail(
    problem: Problem, revision: Revision, samples: tuple[SampleCase, ...], versions: tuple[ExerciseVersion, ...]
) -> ProblemDetail:
    hidden = sum(case["visibility"] == "hidden" for case in revision.manifest["cases"])
    facts = {
        "slug": problem.slug,
        "revision": revision.digest,
        "versions": versions,
        "samples": samples,
        "example_inputs": write_example(revision.manifest, samples),
        "hidden_cases": hidden,
    }
    return ProblemDetail.model_validate(revision.manifest | facts)
