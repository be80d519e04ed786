"""The visitor's own page: what was done so far, and whether leaderboards show it."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Response
from pydantic import BaseModel

from app.leaderboard.membership import set_ranked
from app.learning.solution import count_solved_after_seeing
from app.statistics.query import read_statistics
from app.web.calendar import draw_calendar
from app.web.origin import local_path, require_own_origin
from app.web.visit import CurrentVisit, see_other

router = APIRouter()


class RankedForm(BaseModel):
    """`next`: the page that the switch stands on."""

    is_ranked: bool = False
    next: str = "/me"


@router.get("/me")
def show_me(visit: CurrentVisit) -> Response:
    if visit.user is None:
        return visit.ask_to_sign_in()
    with visit.transaction() as session:
        statistics = read_statistics(session, visit.user.id)
        seen = count_solved_after_seeing(session, visit.user.id)
    context = {
        "statistics": statistics,
        "solved_after_seeing": seen,
        "calendar": draw_calendar(statistics.days, statistics.today),
    }
    return visit.render("me.html", context)


@router.post("/me/leaderboards", dependencies=[Depends(require_own_origin)])
def choose_leaderboards(visit: CurrentVisit, form: Annotated[RankedForm, Form()]) -> Response:
    if visit.user is None:
        return see_other("/sign-in?next=/me")
    with visit.transaction() as session:
        set_ranked(session, visit.user.id, is_ranked=form.is_ranked)
    return see_other(local_path(form.next))
