"""The leaderboard of a problem: accepted solutions by time or memory, of users who joined."""

from fastapi import APIRouter, Response

from app.submissions.leaderboard import By, read_leaderboard
from app.web.address import Slug
from app.web.visit import CurrentVisit

router = APIRouter()


@router.get("/problems/{slug}/leaderboard")
def show_leaderboard(visit: CurrentVisit, slug: Slug, by: By = "time") -> Response:
    if visit.viewer is None:
        return visit.ask_to_sign_in()
    with visit.transaction() as session:
        board = read_leaderboard(session, slug, visit.viewer, by)
    return visit.render("leaderboard.html", {"board": board})
