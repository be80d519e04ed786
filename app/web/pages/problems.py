"""The catalogue: all problems, with search, filters and an order. The address holds all of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Annotated, get_args
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Response

from app.api.request_state import in_loop
from app.catalog.parameter import Framework
from app.catalog.query import ListedProblem
from app.catalog.search import MAX_TAGS, ORDERS, Facets, ProblemFilters, ProblemOrder, count_facets, list_problems
from app.catalog.spelling import forgive
from app.catalog.track import list_titles
from app.database.cursor import Slice
from app.learning.progress import states_for
from app.web.visit import CurrentVisit, Visit

PATH = "/problems"
SHOWN_TAGS = 8
_ORDER = {
    "state": ("new", "tried", "solved"),
    "difficulty": ("beginner", "intermediate", "advanced"),
    "framework": get_args(Framework),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterValue:
    """A filter value. `address` is the catalogue with this filter set, or removed if it is set."""

    label: str
    count: int
    is_chosen: bool
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Facet:
    """A filter with its values. `more` are rarely used values, folded away."""

    name: str
    title: str
    choices: tuple[FilterValue, ...]
    more: tuple[FilterValue, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveFilter:
    """An active filter in words, with the address without it and the `count` of problems there."""

    name: str
    words: str
    address: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """An order of the list. `address` is the catalogue in this order."""

    label: str
    is_chosen: bool
    address: str


def address_of(filters: ProblemFilters, cursor: str | None = None) -> str:
    further = {"order": filters.order, "cursor": cursor}
    query = [*filters.given, *((name, value) for name, value in further.items() if value)]
    return f"{PATH}?{urlencode(query, errors='replace')}" if query else PATH


def address_with_tag(filters: ProblemFilters, tag: str) -> str:
    """Return the catalogue with this tag beside the other filters."""
    return address_of(filters.add("tag", tag))


def list_orders(filters: ProblemFilters) -> list[Order]:
    """List the orders. The first one is that of the address without an order."""
    usual = "Best match" if filters.q else "Track"
    words: dict[ProblemOrder | None, str] = {
        None: usual,
        "most_solved": "Highest solve rate",
        "least_solved": "Lowest solve rate",
        "most_tried": "Most students",
    }
    chosen = filters.order if filters.q or filters.order != "track" else None
    if filters.q:
        words["track"] = "Track"
    return [
        Order(label=label, is_chosen=order == chosen, address=address_of(replace(filters, order=order)))
        for order, label in words.items()
    ]


def list_facets(filters: ProblemFilters, facets: Facets, tracks: Mapping[str, str]) -> list[Facet]:
    """List the filters that have values. `tracks` are titles by slug."""
    made = [_facet(name, filters, facets.counts[name], tracks) for name in _titles() if name in facets.counts]
    return [facet for facet in made if facet.choices]


def list_given(filters: ProblemFilters, facets: Facets, tracks: Mapping[str, str]) -> list[ActiveFilter]:
    return [
        ActiveFilter(
            name=name,
            words=f"“{value}”" if name == "q" else label_of(name, value, tracks),
            address=address_of(filters.drop(name, value)),
            count=facets.without.get((name, value), 0),
        )
        for name, value in filters.given
    ]


def label_of(name: str, value: str, tracks: Mapping[str, str]) -> str:
    if name == "track":
        return tracks.get(value, value)
    return value if name == "tag" else _words().get(value, value)


def _facet(name: str, filters: ProblemFilters, counts: Mapping[str, int], tracks: Mapping[str, str]) -> Facet:
    chosen = [value for given, value in filters.given if given == name]
    known = dict.fromkeys(chosen, 0) | dict(counts)
    choices = [
        FilterValue(
            label=label_of(name, value, tracks),
            count=known[value],
            is_chosen=value in chosen,
            address=address_of(filters.drop(name, value) if value in chosen else filters.add(name, value)),
        )
        for value in _sorted(name, known, tracks)
    ]
    shown = SHOWN_TAGS if name == "tag" else len(choices)
    first = [choice for place, choice in enumerate(choices) if place < shown or choice.is_chosen]
    rest = tuple(choice for choice in choices if choice not in first)
    return Facet(name=name, title=_titles()[name], choices=tuple(first), more=rest)


def _sorted(name: str, counts: Mapping[str, int], tracks: Mapping[str, str]) -> list[str]:
    if name in _ORDER:
        order = _ORDER[name]
        return sorted(counts, key=lambda value: (order.index(value) if value in order else len(order), value))
    if name == "track":
        return sorted(counts, key=lambda value: list(tracks).index(value) if value in tracks else len(tracks))
    return sorted(counts, key=lambda value: (-counts[value], value))


def _titles() -> dict[str, str]:
    return {
        "state": "My progress",
        "bookmarked": "My bookmarks",
        "difficulty": "Difficulty",
        "framework": "Framework",
        "track": "Track",
        "tag": "Tag",
    }


def _words() -> dict[str, str]:
    return {
        "new": "New",
        "tried": "Tried",
        "solved": "Solved",
        "true": "Bookmarked",
        "false": "Not bookmarked",
        "beginner": "Beginner",
        "intermediate": "Intermediate",
        "advanced": "Advanced",
    } | FRAMEWORKS


FRAMEWORKS: dict[str, str] = {
    "numpy": "NumPy",
    "jax": "JAX",
    "flax": "Flax",
    "optax": "Optax",
    "pallas": "Pallas",
    "torch": "PyTorch",
    "triton": "Triton",
}
router = APIRouter()
SHOWN_PROBLEMS = 50
MAX_FILTER = 200  # characters, as the field for words has it


@dataclass(frozen=True, slots=True)
class Group:
    """Problems under a heading. `track` is None without a track, and `title` is empty for search results."""

    track: str | None
    title: str
    problems: Sequence[ListedProblem]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterForm:
    """The filters in the address. An empty field means no filter."""

    q: str = ""
    difficulty: str = ""
    tag: Annotated[list[str] | None, Query()] = None
    track: str = ""
    framework: str = ""
    state: str = ""
    bookmarked: str = ""
    order: str = ""

    def read(self) -> ProblemFilters:
        tags = (kept for tag in self.tag or () if (kept := _kept(tag)) is not None)
        return ProblemFilters(
            q=_kept(self.q),
            difficulty=_kept(self.difficulty),
            tags=tuple(dict.fromkeys(tags))[:MAX_TAGS],
            track=_kept(self.track),
            framework=_kept(self.framework),
            state=_kept(self.state),
            bookmarked={"true": True, "false": False}.get(self.bookmarked),
            order=next((order for order in ORDERS if order == self.order), None),
        )


@router.get("/problems")
async def show_problems(
    visit: CurrentVisit, form: Annotated[FilterForm, Depends(in_loop(FilterForm))], cursor: str = ""
) -> Response:
    return await visit.share(partial(_show, visit, form.read(), cursor))


def _show(visit: Visit, wanted: ProblemFilters, cursor: str) -> Response:
    asked = wanted if visit.user else replace(wanted, state=None, bookmarked=None)
    states = states_for(visit.viewer)
    with visit.transaction() as session:
        filters = forgive(session, asked, states) or asked
        shown = Slice(cursor=cursor or None, limit=SHOWN_PROBLEMS)
        problems, following = list_problems(session, filters, shown, states)
        facets = count_facets(session, filters, states)
        titles = list_titles(session, facets.counts["track"])
    return visit.render(
        "problems.html",
        {
            "groups": group_by_track(problems, titles) if _is_by_track(filters) else _ungrouped(problems),
            "filters": filters,
            "misspelt": asked.q if filters.q != asked.q else None,
            "orders": list_orders(filters),
            "tag_address": partial(address_with_tag, filters),
            "facets": list_facets(filters, facets, titles),
            "given": list_given(filters, facets, titles),
            "total": facets.total,
            "asks_for_state": wanted != asked,
            "is_first": not cursor,
            "first": address_of(filters),
            "next": address_of(filters, following) if following else None,
        },
    )


def group_by_track(problems: Iterable[ListedProblem], titles: Mapping[str, str]) -> list[Group]:
    """Group problems, which are sorted by track."""
    groups = [(track, list(group)) for track, group in groupby(problems, key=lambda problem: problem.track)]
    return [Group(track, titles.get(track, track) if track else "More problems", listed) for track, listed in groups]


def _is_by_track(filters: ProblemFilters) -> bool:
    return filters.order == "track" or (filters.order is None and filters.q is None)


def _ungrouped(problems: Sequence[ListedProblem]) -> list[Group]:
    return [Group(None, "", problems)] if problems else []


def _kept(text: str) -> str | None:
    """Return the start of a filter's text with unprintable characters as spaces, or None if it is blank."""
    return "".join(letter if letter.isprintable() else " " for letter in text[:MAX_FILTER]).strip() or None
