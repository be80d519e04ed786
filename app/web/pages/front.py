"""The front page: an introduction, or the user's tracks and unfinished problems."""

from fastapi import APIRouter, Response

from app.catalog.search import ProblemFilters, count_problems, list_problems
from app.catalog.track import list_tracks
from app.courses.due import list_due
from app.database.cursor import Slice
from app.learning.progress import find_last_problem, list_started, states_for
from app.web.visit import CurrentVisit

router = APIRouter()
SHOWN_OPEN = 3


@router.get("/")
def show_front(visit: CurrentVisit, done: str = "") -> Response:
    states = states_for(visit.viewer)
    with visit.transaction() as session:
        tracks = list_tracks(session, states)
        last = find_last_problem(session, visit.viewer.id) if visit.viewer else None
        tried = ProblemFilters(state="tried")
        unsolved = list_problems(session, tried, Slice(limit=SHOWN_OPEN + 1), states)[0] if visit.viewer else ()
        due = list_due(session, visit.viewer.id) if visit.viewer else []
        count = count_problems(session, ProblemFilters())
    others = tuple(problem for problem in unsolved if not last or problem.slug != last.slug)
    context = {
        "due": due,
        "tracks": tracks,
        "last": last,
        "started": list_started(tracks),
        "unfinished": others[:SHOWN_OPEN],
        "is_returning": last is not None or any(track.done_count for track in tracks),
        "problem_count": count,
        "is_erased": done == "erased" and visit.viewer is None,
    }
    return visit.render("front.html", context)
