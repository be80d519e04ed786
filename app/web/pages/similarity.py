"""Similar programs, for staff: the comparisons of an assignment or a problem, a report, and a pair side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Annotated, Any
from urllib.parse import quote
from uuid import UUID

from fastapi import APIRouter, Form, Path, Query, Response
from pydantic import BaseModel

from app.accounts.permission import Viewer
from app.api.archive import send_csv
from app.courses.role import Seat
from app.errors import Invalid
from app.grading.export import read_slugs
from app.similarity.check import NewCheck, begin_check, get_check, list_checks, view_check
from app.similarity.report import (
    MAX_NOTE,
    Dismissal,
    dismiss,
    find_share,
    get_pair,
    list_clusters,
    list_pairs,
    list_sides,
    read_sources,
    reopen,
    tabulate,
)
from app.validation import read_fields
from app.web.address import CheckId
from app.web.pages.course.course import course_context
from app.web.pages.course.courses import OWN_ORIGIN, Reader, Taker
from app.web.visit import CurrentVisit, Visit, see_other

HOME = "/similarity"
router = APIRouter(prefix=HOME)
LEAST = 80
Number = Annotated[int, Path(ge=1, le=10_000)]
COMPARED = {"counting": "what counts of each student", "all": "everything that was sent"}


class CheckForm(BaseModel):
    """Without a `problem`, all those of the assignment are compared."""

    assignment: str = ""
    problem: str = ""
    compared: str = "counting"

    def read(self, problem: str) -> NewCheck:
        """Raises Invalid."""
        return read_fields(NewCheck, self.model_dump() | {"problem": problem, "assignment": self.assignment or None})


class DecisionForm(BaseModel):
    note: str = ""
    reopens: bool = False


@router.get("")
def show_checks(visit: CurrentVisit, viewer: Reader, assignment: str = "", problem: str = "") -> Response:
    with visit.transaction() as session:
        checks, found, seat = list_checks(session, viewer, assignment or None, problem or None)
        views = [view_check(session, each) for each in checks]
        slugs = read_slugs(session, [found]).values() if found else ()
    context: dict[str, Any] = {
        "checks": views,
        "assignment": found,
        "key": assignment,
        "problem": problem,
        "compared": COMPARED,
    }
    context |= {"problems": [(slug, slug) for slug in slugs]}
    return visit.render("similarity/checks.html", _context(seat) | context)


@router.post("", dependencies=[OWN_ORIGIN])
def send_check(visit: CurrentVisit, viewer: Taker, form: Annotated[CheckForm, Form()]) -> Response:
    with visit.transaction() as session:
        slugs = [form.problem]
        if form.assignment and not form.problem:
            _, assignment, _ = list_checks(session, viewer, form.assignment, None)
            slugs = list(read_slugs(session, [assignment] if assignment else []).values())
        begun = [begin_check(session, viewer, visit.actor, form.read(slug)) for slug in slugs]
    if len(begun) == 1:
        return see_other(f"{HOME}/{begun[0].id}")
    return see_other(f"{HOME}?assignment={quote(form.assignment)}")


@router.get("/{check_id}")
def show_check(
    visit: CurrentVisit, viewer: Reader, check_id: CheckId, least: Annotated[int, Query(ge=0, le=100)] = LEAST
) -> Response:
    with visit.transaction() as session:
        check, seat = get_check(session, viewer, check_id)
        view = view_check(session, check)
        pairs = list_pairs(session, check)
        unread = list_sides(session, check, view.unread)
    shown = [pair for pair in pairs if pair.similarity >= least]
    context = {
        "view": view,
        "pairs": shown,
        "students": {side.username: side for pair in shown for side in (pair.left, pair.right)},
        "clusters": list_clusters([pair for pair in shown if pair.dismissed_at is None]),
        "all_pairs": len(pairs),
        "most": pairs[0].similarity if pairs else 0,
        "least": least,
        "bars": draw_bars(view.histogram),
        "shares": [(share, find_share(view.histogram, share / 100)) for share in (50, 99)],
        "unread": unread,
        "compared": COMPARED,
    }
    return visit.render("similarity/check.html", _context(seat) | context)


@router.get("/{check_id}/pairs.csv")
def send_pairs(visit: CurrentVisit, viewer: Reader, check_id: CheckId) -> Response:
    with visit.transaction() as session:
        table = tabulate(list_pairs(session, get_check(session, viewer, check_id)[0]))
    return send_csv(*table, "similar-pairs.csv")


@router.get("/{check_id}/pairs/{number}")
def show_pair(visit: CurrentVisit, viewer: Reader, check_id: CheckId, number: Number) -> Response:
    return _render_pair(visit, viewer, (check_id, number), {})


@router.post("/{check_id}/pairs/{number}", dependencies=[OWN_ORIGIN])
def send_decision(
    visit: CurrentVisit, viewer: Taker, check_id: CheckId, number: Number, form: Annotated[DecisionForm, Form()]
) -> Response:
    try:
        with visit.transaction() as session:
            found = get_check(session, viewer, check_id)
            if form.reopens:
                reopen(session, visit.actor, found, number)
            else:
                dismiss(session, visit.actor, found, number, read_fields(Dismissal, {"note": form.note.strip()}))
    except Invalid as fault:
        context = {"errors": fault.by_field, "values": form.model_dump()}
        return _render_pair(visit, viewer, (check_id, number), context, 422)
    return see_other(f"{HOME}/{check_id}/pairs/{number}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A range of similarity, in percent, with its pairs. `height`: of the drawing, from 0 to 100."""

    start: int
    end: int
    count: int
    height: float


def draw_bars(histogram: Sequence[int]) -> list[Bar]:
    """Return the bars. Their heights are logarithms, so that one pair among 50,000 can be seen."""
    highest = log(1 + max(histogram, default=0)) or 1.0
    width = 100 // max(len(histogram), 1)
    return [
        Bar(start=width * number, end=width * (number + 1), count=count, height=100 * log(1 + count) / highest)
        for number, count in enumerate(histogram)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A line in a common part. `block`: its number. `other`: where it begins on the other side, at its first line."""

    block: int
    other: int | None


def mark_lines(blocks: Sequence[tuple[int, int, int, int]]) -> tuple[dict[int, Mark], dict[int, Mark]]:
    """Return the marked lines of both sides. A line belongs to the largest part that it is in."""
    marks: tuple[dict[int, Mark], dict[int, Mark]] = ({}, {})
    for number, block in enumerate(blocks, 1):
        for side, first, last, other in ((0, block[0], block[1], block[2]), (1, block[2], block[3], block[0])):
            new = [line for line in range(first, last + 1) if line not in marks[side]]
            marks[side].update({line: Mark(block=number, other=other if line == new[0] else None) for line in new})
    return marks


def _render_pair(
    visit: Visit, viewer: Viewer, place: tuple[UUID, int], context: dict[str, Any], status: int = 200
) -> Response:
    with visit.transaction() as session:
        check, seat = get_check(session, viewer, place[0])
        pair = get_pair(session, check, place[1])
        sources = read_sources(session, pair)
        usual = {"view": view_check(session, check), "pair": pair, "most": MAX_NOTE, "errors": {}}
    marks = mark_lines(pair.blocks)
    usual |= {"values": {"note": pair.note}, "sides": list(zip((pair.left, pair.right), sources, marks, strict=True))}
    return visit.render("similarity/pair.html", _context(seat) | usual | context, status)


def _context(seat: Seat | None) -> dict[str, Any]:
    """Return what the layout needs: of the course, or that there is none."""
    return {"similarity": HOME} | (course_context(seat) if seat else {"seat": None})
