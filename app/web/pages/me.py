"""The user's statistics, with a calendar of the last year, and the leaderboard setting."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Response
from pydantic import BaseModel

from app.learning.discussion import list_unread
from app.learning.solution import count_solved_after_seeing
from app.submissions.leaderboard import set_ranked
from app.submissions.statistics import ActiveDay, read_statistics
from app.web.visit import CurrentVisit, local_path, require_own_origin, see_other

WEEKS = 53
STEP = 13  # from one square to the next, in units of the drawing
LEFT, TOP = 28, 16
# The submissions of a day from which it has each darker level.
LEVELS = (1, 3, 6, 10)
# A month with fewer weeks at either edge of the year has no label.
WEEKS_OF_A_NAME = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Square:
    x: int
    y: int
    level: int
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Month:
    """A month. `x` is the place of its label, or None without room."""

    first: date
    x: int | None
    active_days: int
    submissions: int
    solved: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """A year of days: weeks from left to right, Monday on top. `months` are also its text alternative."""

    width: int
    height: int
    squares: tuple[Square, ...]
    months: tuple[Month, ...]
    words: str


def draw_calendar(days: Sequence[ActiveDay], today: date) -> Calendar:
    first = today - timedelta(days=today.weekday(), weeks=WEEKS - 1)
    shown = [first + timedelta(days=number) for number in range((today - first).days + 1)]
    by_day = {each.day: each for each in days if each.day >= first}
    return Calendar(
        width=LEFT + WEEKS * STEP,
        height=TOP + 7 * STEP,
        squares=tuple(_square(day, first, by_day.get(day)) for day in shown),
        months=tuple(_months(shown, by_day)),
        words=_summary(by_day),
    )


def _square(day: date, first: date, active: ActiveDay | None) -> Square:
    count = active.submissions if active else 0
    words = "1 submission" if count == 1 else f"{count} submissions"
    return Square(
        x=LEFT + (day - first).days // 7 * STEP,
        y=TOP + day.weekday() * STEP,
        level=sum(count >= least for least in LEVELS),
        words=f"{day.isoformat()}: {words}",
    )


def _months(shown: Sequence[date], by_day: Mapping[date, ActiveDay]) -> list[Month]:
    months: list[Month] = []
    for _key, group in groupby(enumerate(shown), lambda entry: (entry[1].year, entry[1].month)):
        numbered = list(group)
        active = [by_day[day] for _place, day in numbered if day in by_day]
        week = -(-numbered[0][0] // 7)
        months.append(
            Month(
                first=numbered[0][1].replace(day=1),
                x=LEFT + week * STEP if _has_room(week, len(numbered)) else None,
                active_days=len(active),
                submissions=sum(each.submissions for each in active),
                solved=sum(each.solved for each in active),
            )
        )
    return months


def _has_room(week: int, days: int) -> bool:
    return week <= WEEKS - WEEKS_OF_A_NAME and (week > 0 or days >= 7 * WEEKS_OF_A_NAME)


def _summary(by_day: Mapping[date, ActiveDay]) -> str:
    count = sum(each.submissions for each in by_day.values())
    words = "1 submission or sample run" if count == 1 else f"{count} submissions and sample runs"
    return f"{words} in the last year; active days: {len(by_day)}"


router = APIRouter()


class RankedForm(BaseModel):
    """The leaderboard setting. `next` is the page with the button."""

    is_ranked: bool = False
    next: str = "/me"


@router.get("/me")
def show_me(visit: CurrentVisit) -> Response:
    if visit.user is None:
        return visit.ask_to_sign_in()
    with visit.transaction() as session:
        statistics = read_statistics(session, visit.user.id)
        unread = list_unread(session, visit.user.id)
        seen = count_solved_after_seeing(session, visit.user.id)
    context = {
        "statistics": statistics,
        "solved_after_seeing": seen,
        "unread": unread,
        "calendar": draw_calendar(statistics.days, statistics.today),
    }
    return visit.render("me.html", context)


@router.post("/me/leaderboards", dependencies=[Depends(require_own_origin)])
def choose_leaderboards(visit: CurrentVisit, form: Annotated[RankedForm, Form()]) -> Response:
    if visit.user is None:
        return visit.ask_to_sign_in("/me")
    with visit.transaction() as session:
        set_ranked(session, visit.user.id, is_ranked=form.is_ranked)
    return see_other(local_path(form.next))
