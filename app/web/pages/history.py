"""The visitor's own submissions, newest first."""

from fastapi import APIRouter, Response

from app.submissions.query import list_submissions
from app.web.address import read_slug
from app.web.visit import CurrentVisit

router = APIRouter()


@router.get("/submissions")
def show_history(visit: CurrentVisit, problem: str = "", cursor: str = "") -> Response:
    """`problem` is a slug that narrows the list."""
    if visit.user is None:
        return visit.ask_to_sign_in()
    with visit.transaction() as session:
        page = list_submissions(session, visit.user.id, read_slug(problem) if problem else None, cursor or None)
    return visit.render("history.html", {"page": page, "problem": problem})
