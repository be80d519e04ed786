"""The solution of a problem, and the page that asks before it opens early."""

from fastapi import APIRouter, Depends, Response

from app.catalog.query import get_problem
from app.courses.due import require_unlocked
from app.learning.progress import read_learning
from app.learning.solution import get_solution, show_solution
from app.web.address import Slug
from app.web.visit import CurrentVisit, require_own_origin, see_other

router = APIRouter(prefix="/problems/{slug}/solution")


@router.get("")
def show(visit: CurrentVisit, slug: Slug) -> Response:
    if visit.user is None:
        return visit.ask_to_sign_in()
    with visit.transaction() as session:
        learning = read_learning(session, visit.user.id, slug)
        context = {"problem": get_problem(session, slug, visit.user.id), "learning": learning}
        require_unlocked(session, visit.user.id, learning.problem_id)
        if learning.lock.opened_by is None:
            return visit.render("solution_locked.html", context)
        solution = get_solution(session, visit.user.id, slug)
    return visit.render("solution.html", context | {"solution": solution})


@router.post("", dependencies=[Depends(require_own_origin)])
def open_it(visit: CurrentVisit, slug: Slug) -> Response:
    """Open the solution early, after the page that explains the consequence."""
    if visit.user is None:
        return visit.ask_to_sign_in(f"/problems/{slug}/solution")
    with visit.transaction() as session:
        show_solution(session, visit.user.id, slug)
    return see_other(f"/problems/{slug}/solution")
