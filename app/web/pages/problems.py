"""The catalogue: all problems, found by words and filters. Everything that is chosen stands in the address."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Annotated

from fastapi import APIRouter, Depends, Response

from app.catalog.facet import count_facets
from app.catalog.search import Cut, ProblemFilters, list_problems
from app.catalog.track import list_titles
from app.catalog.view import ListedProblem
from app.learning.state import states_for
from app.web.catalogue import address_of, list_facets, list_given
from app.web.messages import gettext as _
from app.web.visit import CurrentVisit

router = APIRouter()
SHOWN_PROBLEMS = 50
MAX_FILTER = 200  # characters, as the field for words has it


@dataclass(frozen=True, slots=True)
class Group:
    """Problems under a heading; `track` is None for those without one, and `title` empty for the best of a search."""

    track: str | None
    title: str
    problems: Sequence[ListedProblem]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterForm:
    """What stands in the address. An empty field is no filter."""

    q: str = ""
    difficulty: str = ""
    tag: str = ""
    track: str = ""
    framework: str = ""
    state: str = ""

    def read(self) -> ProblemFilters:
        return ProblemFilters(
            q=_kept(self.q),
            difficulty=_kept(self.difficulty),
            tag=_kept(self.tag),
            track=_kept(self.track),
            framework=_kept(self.framework),
            state=_kept(self.state),
        )


@router.get("/problems")
def show_problems(visit: CurrentVisit, form: Annotated[FilterForm, Depends()], cursor: str = "") -> Response:
    wanted = form.read()
    filters = wanted if visit.user else replace(wanted, state=None)
    states = states_for(visit.viewer)
    with visit.transaction() as session:
        cut = Cut(cursor=cursor or None, limit=SHOWN_PROBLEMS)
        problems, following = list_problems(session, filters, cut, states)
        facets = count_facets(session, filters, states)
        titles = list_titles(session, facets.counts["track"])
    return visit.render(
        "problems.html",
        {
            "groups": group_by_track(problems, titles) if filters.q is None else _ungrouped(problems),
            "filters": filters,
            "facets": list_facets(filters, facets, titles),
            "given": list_given(filters, facets, titles),
            "total": facets.total,
            "asks_for_state": wanted.state is not None and visit.user is None,
            "is_first": not cursor,
            "first": address_of(filters),
            "next": address_of(filters, following) if following else None,
        },
    )


def group_by_track(problems: Iterable[ListedProblem], titles: Mapping[str, str]) -> list[Group]:
    """Problems come sorted by track."""
    groups = [(track, list(group)) for track, group in groupby(problems, key=lambda problem: problem.track)]
    return [Group(track, titles.get(track, track) if track else _("More problems"), listed) for track, listed in groups]


def _ungrouped(problems: Sequence[ListedProblem]) -> list[Group]:
    return [Group(None, "", problems)] if problems else []


def _kept(text: str) -> str | None:
    """None for nothing; what can't be seen is as good as a space. The beginning of what is too long."""
    return "".join(letter if letter.isprintable() else " " for letter in text[:MAX_FILTER]).strip() or None
