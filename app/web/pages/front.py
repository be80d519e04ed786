"""The front page: an introduction, or the user's tracks and unfinished problems."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Response

from app.catalog.search import ProblemFilters, count_problems, list_problems
from app.catalog.track import list_tracks
from app.database.cursor import Slice
from app.learning.progress import states_for
from app.web.visit import CurrentVisit

router = APIRouter()
SHOWN_OPEN = 3
# The report of one sample case with a common mistake.
EXAMPLE = Path(__file__).parents[1] / "example.json"


@router.get("/")
def show_front(visit: CurrentVisit) -> Response:
    states = states_for(visit.viewer)
    with visit.transaction() as session:
        tracks = list_tracks(session, states)
        tried = ProblemFilters(state="tried")
        unfinished = list_problems(session, tried, Slice(limit=SHOWN_OPEN), states)[0] if states is not None else ()
        count = count_problems(session, ProblemFilters())
    context = {
        "tracks": tracks,
        "unfinished": unfinished,
        "is_returning": bool(unfinished) or any(track.done_count for track in tracks),
        "problem_count": count,
        "example": read_example(),
    }
    return visit.render("front.html", context)


@cache
def read_example() -> dict[str, Any]:
    example: dict[str, Any] = json.loads(EXAMPLE.read_text())
    return example
