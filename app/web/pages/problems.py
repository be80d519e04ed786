"""The list of problems, by track."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated

from fastapi import APIRouter, Depends, Response

from app.catalog.query import ProblemFilters, ProblemSummary, list_problems
from app.submissions.solved import list_solved_slugs
from app.web.visit import CurrentVisit

router = APIRouter()
WITHOUT_TRACK = "More problems"
SHOWN_PROBLEMS = 100


@dataclass(frozen=True, slots=True)
class Track:
    title: str
    problems: Sequence[ProblemSummary]
    solved_count: int


def read_filters(q: str = "", difficulty: str = "", tag: str = "", track: str = "") -> ProblemFilters:
    """An empty field of the form is no filter."""
    return ProblemFilters(q=_kept(q), difficulty=_kept(difficulty), tag=_kept(tag), track=_kept(track))


@router.get("/")
def show_problems(
    visit: CurrentVisit, filters: Annotated[ProblemFilters, Depends(read_filters)], cursor: str = ""
) -> Response:
    with visit.transaction() as session:
        problems, following = list_problems(session, filters, cursor or None, SHOWN_PROBLEMS)
        solved = list_solved_slugs(session, visit.user.id) if visit.user else frozenset[str]()
    return visit.render(
        "problems.html",
        {
            "tracks": group_by_track(problems, solved),
            "solved": solved,
            "filters": filters,
            "is_filtered": filters != ProblemFilters(),
            "tags": sorted({tag for problem in problems for tag in problem.tags}),
            "next": following,
        },
    )


def group_by_track(problems: Iterable[ProblemSummary], solved: frozenset[str]) -> list[Track]:
    """Problems come sorted by track."""
    groups = [(track, list(group)) for track, group in groupby(problems, key=lambda problem: problem.track)]
    return [Track(_title(track), group, sum(problem.slug in solved for problem in group)) for track, group in groups]


def _title(track: str | None) -> str:
    """ "gradient-accumulation" as a heading."""
    return track.replace("-", " ").replace("_", " ").capitalize() if track else WITHOUT_TRACK


def _kept(text: str) -> str | None:
    cleaned = text.strip()
    return cleaned if cleaned.isprintable() and cleaned else None
