"""Tracks: ordered lists of problems that build on each other, and `tracks.yaml`, which names and orders them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import Field, StringConstraints, ValidationError
from sqlalchemy import ColumnElement, Row, Select, Subquery, bindparam, delete, func, literal, or_, select
from sqlalchemy.orm import Session

from app.catalog.access import IS_LISTED
from app.catalog.fault import Fault, Location, PackageInvalid
from app.catalog.manifest import Slug
from app.catalog.model import IS_CURRENT, Problem, Revision, Track
from app.catalog.query import ListedProblem, ProblemState
from app.catalog.search import TRACK_ORDER, read_listed, select_published, track_slug
from app.catalog.validation_errors import explain
from app.catalog.yaml_document import read_document
from app.database.engine import storable
from app.errors import NotFound
from app.judging.options import Model
from app.validation import FrozenModel

TRACKS_FILE = "tracks.yaml"
MAX_TRACKS = 500


class ProblemRef(FrozenModel):
    """A reference to a problem."""

    slug: str
    title: str
    state: ProblemState | None


class TrackStep(ListedProblem):
    """A problem of a track. `is_open`: the user has solved each problem that it builds on."""

    builds_on: tuple[ProblemRef, ...]
    is_open: bool


class TrackSummary(FrozenModel):
    """A track. `next` is the first unsolved problem whose prerequisites are solved; null if there is none."""

    slug: str
    title: str
    description: str = Field(description="Markdown; empty if the track has no description")
    problem_count: int
    estimated_minutes: int
    done_count: int | None = Field(description="how many you have solved; null without a token")
    next: ProblemRef | None

    @property
    def summary(self) -> str:
        """The first paragraph of the description, as one line."""
        return " ".join(self.description.partition("\n\n")[0].split())


class TrackDetail(TrackSummary):
    steps: tuple[TrackStep, ...]


class TrackPlace(FrozenModel):
    """The position of a problem in its track. `number` counts from 1."""

    slug: str
    title: str
    number: int
    count: int
    previous: ProblemRef | None
    next: ProblemRef | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The listed problems that a problem builds on, and its track. The track is None unless the problem is in it."""

    builds_on: tuple[ProblemRef, ...]
    track: TrackDetail | None
    place: TrackPlace | None


def list_tracks(session: Session, states: Subquery | None = None) -> tuple[TrackDetail, ...]:
    """Return the tracks in the order of `tracks.yaml`, then by slug.

    `states` has a user's states by `problem_id`, from `app.learning.progress`.
    """
    problems = _read(session, states)
    slugs = dict.fromkeys(problem.track for problem, _ in problems if problem.track is not None)
    return tuple(_track(slug, problems) for slug in slugs)


def get_track(session: Session, slug: str, states: Subquery | None = None) -> TrackDetail:
    """Raises NotFound."""
    problems = _read(session, states, _is_around(literal(storable(slug))))
    if not any(problem.track == slug for problem, _ in problems):
        raise NotFound(f"there is no track {slug!r}; the list of tracks has all of them")
    return _track(slug, problems)


def read_surroundings(
    session: Session,
    slug: str,
    prerequisites: Sequence[str] = (),
    states: Subquery | None = None,
    known: Mapping[str, Any] = MappingProxyType({}),
) -> Surroundings:
    """Return what stands around the problem with this slug and these prerequisites. `known`: parameters of `states`."""
    around = {"slug": storable(slug), "prerequisites": list(prerequisites), **known}
    problems = _read_listed(session.execute(_select_surroundings(states), around))
    by_slug = {problem.slug: problem for problem, _ in problems}
    track = by_slug[slug].track if slug in by_slug else None
    detail = None if track is None else _track(track, problems)
    return Surroundings(
        builds_on=tuple(_reference(by_slug[before]) for before in prerequisites if before in by_slug),
        track=detail,
        place=None if detail is None else _place(slug, detail),
    )


@cache  # building takes longer than running
def _select_surroundings(states: Subquery | None) -> Select[Any]:
    own = select(track_slug).join_from(Problem, Revision, IS_CURRENT).where(Problem.slug == bindparam("slug"))
    is_before = Problem.slug.in_(bindparam("prerequisites", expanding=True))
    return _select(states, or_(_is_around(own.correlate(None).scalar_subquery()), is_before))


def _place(slug: str, track: TrackDetail) -> TrackPlace:
    steps = list(map(_reference, track.steps))
    at = [step.slug for step in steps].index(slug)
    return TrackPlace(
        slug=track.slug,
        title=track.title,
        number=at + 1,
        count=len(steps),
        previous=steps[at - 1] if at else None,
        next=steps[at + 1] if at + 1 < len(steps) else None,
    )


def title_of(slug: str) -> str:
    """Return the title of a track without a name: "Gradient accumulation" for "gradient-accumulation"."""
    return slug.replace("-", " ").replace("_", " ").strip().capitalize() or slug


def list_titles(session: Session, slugs: Iterable[str]) -> dict[str, str]:
    """Return titles by slug, in the order of tracks."""
    wanted = set(slugs)
    named = session.execute(select(Track.slug, Track.title).order_by(Track.position)).all()
    titles = {slug: title for slug, title in named if slug in wanted}
    return titles | {slug: title_of(slug) for slug in sorted(wanted - titles.keys())}


# A listed problem, and the title and description of its track, which are None for a track without a row.
_Listed = tuple[ListedProblem, tuple[str | None, str | None]]


def _read(session: Session, states: Subquery | None, *which: ColumnElement[bool]) -> Sequence[_Listed]:
    """Return the problems that meet the conditions, in the order of tracks."""
    return _read_listed(session.execute(_select(states, *which)))


def _select(states: Subquery | None, *which: ColumnElement[bool]) -> Select[Any]:
    return select_published(states, Track.title, Track.description).where(*which).order_by(*TRACK_ORDER)


def _read_listed(rows: Iterable[Row[Any]]) -> Sequence[_Listed]:
    return [(read_listed(row), (row.title, row.description)) for row in rows]


def _is_around(track: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether a problem is one of the track, or a prerequisite of one."""
    of_track = select(func.jsonb_array_elements_text(Revision.listing["prerequisites"])).join(Problem, IS_CURRENT)
    return or_(track_slug == track, Problem.slug.in_(of_track.where(track_slug == track, IS_LISTED).correlate(None)))


def _step(problem: ListedProblem, by_slug: Mapping[str, ListedProblem]) -> TrackStep:
    """Unpublished prerequisites can't be solved, so they do not count."""
    before = [by_slug[slug] for slug in problem.prerequisites if slug in by_slug]
    return TrackStep.model_construct(
        **dict(problem),  # validated already
        builds_on=tuple(map(_reference, before)),
        is_open=all(each.state == "solved" for each in before),
    )


def _track(slug: str, problems: Sequence[_Listed]) -> TrackDetail:
    by_slug = {problem.slug: problem for problem, _ in problems}
    steps = tuple(_step(problem, by_slug) for problem, _ in problems if problem.track == slug)
    title, description = next(texts for problem, texts in problems if problem.track == slug)
    is_known = any(step.state is not None for step in steps)
    ahead = (step for step in steps if step.is_open and step.state != "solved")
    return TrackDetail(
        slug=slug,
        title=title or title_of(slug),
        description=description or "",
        problem_count=len(steps),
        estimated_minutes=sum(step.estimated_minutes for step in steps),
        done_count=sum(step.state == "solved" for step in steps) if is_known else None,
        next=next(map(_reference, ahead), None),
        steps=steps,
    )


def _reference(problem: ListedProblem) -> ProblemRef:
    return ProblemRef(slug=problem.slug, title=problem.title, state=problem.state)


class TrackText(Model):
    """`description` is Markdown."""

    title: Annotated[str, StringConstraints(min_length=1, max_length=120, pattern=r"^[^\n]*$", strip_whitespace=True)]
    description: Annotated[str, StringConstraints(max_length=4000, strip_whitespace=True)] = ""


class TrackFile(Model):
    tracks: Annotated[dict[Slug, TrackText], Field(max_length=MAX_TRACKS)]


def read_track_file(folder: Path) -> TrackFile | None:
    """Return the folder's `tracks.yaml`, or None if it has none. Raises PackageInvalid."""
    path = folder / TRACKS_FILE
    if not path.is_file():
        return None
    document = read_document(TRACKS_FILE, path.read_bytes().decode("utf-8-sig", errors="replace"))
    if document.faults or document.content is None:
        raise _refused(document.faults)
    try:
        return TrackFile.model_validate(document.content)
    except ValidationError as error:
        raise _refused(explain(error, document, _known_keys)) from None


def publish_tracks(session: Session, file: TrackFile) -> None:
    """Replace all named tracks by those of the file."""
    session.execute(delete(Track))
    for position, (slug, text) in enumerate(file.tracks.items()):
        session.add(Track(slug=slug, position=position, title=text.title, description=text.description))
    session.flush()


def _refused(faults: Iterable[Fault]) -> PackageInvalid:
    return PackageInvalid(TRACKS_FILE, faults)


def _known_keys(where: Location) -> Iterable[str]:
    return TrackText.model_fields if where else TrackFile.model_fields
