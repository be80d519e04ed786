"""Solutions that users share: the list of a problem, one solution's code, and sharing an own submission."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Response

from app.api.request_state import require_shared_solutions
from app.catalog.query import get_problem
from app.database.cursor import Slice
from app.learning.shared_solution import Order, find_shareable, get_shared, list_shared, share, withdraw
from app.learning.solution import SolutionLocked
from app.web.address import Slug, SubmissionId
from app.web.visit import CurrentVisit, local_path, require_own_origin, see_other

router = APIRouter(dependencies=[Depends(require_shared_solutions)])

PAGE = 25


@router.get("/problems/{slug}/solutions")
def show_shared_solutions(visit: CurrentVisit, slug: Slug, order: Order = "fastest", cursor: str = "") -> Response:
    if visit.viewer is None:
        return visit.ask_to_sign_in()
    with visit.transaction() as session:
        problem = get_problem(session, slug, visit.viewer.id)
        context: dict[str, Any] = {"problem": problem, "order": order, "cursor": cursor, "page": None, "own": None}
        try:
            context["page"] = list_shared(session, visit.viewer, slug, order, Slice(cursor=cursor or None, limit=PAGE))
            context["own"] = find_shareable(session, visit.viewer.id, slug)
        except SolutionLocked:
            pass  # the page says how to open it
    return visit.render("shared_solutions.html", context)


@router.get("/solutions/{submission_id}")
def show_shared_solution(visit: CurrentVisit, submission_id: SubmissionId, done: str = "") -> Response:
    if visit.viewer is None:
        return visit.ask_to_sign_in()
    with visit.transaction() as session:
        shared = get_shared(session, visit.viewer, submission_id)
    return visit.render("shared_solution.html", {"shared": shared, "is_reported": done == "reported"})


@router.post("/submissions/{submission_id}/sharing", dependencies=[Depends(require_own_origin)])
def send_sharing(
    visit: CurrentVisit,
    submission_id: SubmissionId,
    is_shared: Annotated[bool, Form()] = False,
    next_path: Annotated[str, Form(alias="next")] = "",
) -> Response:
    """Share or withdraw. `next` is the page with the button."""
    own_page = f"/submissions/{submission_id}"
    if visit.viewer is None:
        return visit.ask_to_sign_in(own_page)
    with visit.transaction() as session:
        (share if is_shared else withdraw)(session, visit.viewer, submission_id)
    return see_other(local_path(next_path or f"{own_page}#sharing"))
