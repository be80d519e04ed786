"""Rejudgings: select submissions, follow the progress, review the changes, and apply or cancel."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Annotated, Any, Literal, cast, get_args
from urllib.parse import urlencode
from uuid import UUID

from fastapi import APIRouter, Depends, Form, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import ValidationError
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool

from app.accounts.permission import Permission, Viewer
from app.catalog.name import list_named
from app.errors import AllcloseError, Conflict, Invalid, NotFound
from app.grading.grade_change import list_grade_changes
from app.judging.verdicts import Verdict
from app.rejudging.change import list_changes
from app.rejudging.choice import Choice, preview
from app.rejudging.create import Rejudge, get_rejudging, rejudge
from app.rejudging.decision import apply, cancel
from app.rejudging.model import Onto
from app.rejudging.view import Decided, RejudgingView, list_rejudgings, view_rejudging
from app.submissions.progress import ChangeStream
from app.validation import read_fields, read_moment
from app.web.permission import needs
from app.web.render import HEADERS, render_text
from app.web.visit import CurrentVisit, Visit, hold_stream, require_own_origin, see_other

HOME = "/admin/rejudgings"
CRITERIA = ("problem", "revision", "user", "assignment", "verdict", "cause", "since", "until", "ids")
FLAGS = ("outdated", "samples")

router = APIRouter(prefix=HOME)

Rejudger = Annotated[Viewer, needs(Permission.REJUDGE, home=HOME)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeQuery:
    """The part of the changes that is shown."""

    cursor: str = ""
    only_changed: bool = False


WHOLE = ChangeQuery()


@router.get("")
def show_rejudgings(
    visit: CurrentVisit,
    viewer: Rejudger,  # noqa: ARG001
    decision: Decided | Literal[""] = "",
    cursor: str = "",
) -> Response:
    with visit.transaction() as session:
        page = list_rejudgings(session, cursor or None, decision=decision or None)
    query = {"decision": decision} if decision else {}
    return visit.render("admin/rejudgings.html", {"page": page, "query": query, "is_first": not cursor})


@router.get("/new")
def choose(visit: CurrentVisit, viewer: Rejudger) -> Response:  # noqa: ARG001
    return _show_form(visit, visit.request.query_params)


@router.post("", dependencies=[Depends(require_own_origin)])
def begin(
    visit: CurrentVisit,
    viewer: Rejudger,  # noqa: ARG001
    criteria: Annotated[str, Form()],
    onto: Annotated[str, Form()] = "own",
    note: Annotated[str, Form()] = "",
) -> Response:
    """Start a rejudging with the preview's `criteria`, so that it includes only previewed submissions."""
    try:
        choice = Choice.model_validate_json(criteria)
        with visit.transaction() as session:
            rejudging = rejudge(session, visit.actor, Rejudge(choice=choice, onto=_read_onto(onto), note=note))
    except ValidationError:
        return _show_form(visit, {}, "The form was changed after the preview. Select again.")
    except AllcloseError as refusal:
        return _show_form(visit, {}, str(refusal))
    return see_other(f"{HOME}/{rejudging.id}")


def read_view(visit: CurrentVisit, viewer: Rejudger, rejudging_id: str) -> RejudgingView:  # noqa: ARG001
    """Read the rejudging; a dependency, so that a stream is refused before it starts. Raises NotFound."""
    try:
        return _read(visit, UUID(rejudging_id))
    except ValueError:
        raise NotFound("this rejudging does not exist; see the list of rejudgings") from None


Known = Annotated[RejudgingView, Depends(read_view)]


def read_cut(cursor: str = "", only: str = "") -> ChangeQuery:
    return ChangeQuery(cursor=cursor, only_changed=only == "changed")


Asked = Annotated[ChangeQuery, Depends(read_cut)]


@router.get("/{rejudging_id}")
def show_rejudging(visit: CurrentVisit, view: Known, cut: Asked) -> Response:
    return _show(visit, view, cut)


@router.get("/{rejudging_id}/result")
def show_result(visit: CurrentVisit, view: Known, cut: Asked) -> Response:
    return Response(_render_result(visit, view, cut), media_type="text/html", headers=HEADERS)


def hold_view(visit: CurrentVisit, viewer: Rejudger, view: Known) -> Iterator[ChangeStream]:  # noqa: ARG001
    """Hold one of the admin's streams. Raises LimitReached."""
    with hold_stream(visit, viewer, Permission.REJUDGE) as changes:
        yield changes


@router.get("/{rejudging_id}/events", response_class=EventSourceResponse)
async def stream_progress(
    visit: CurrentVisit, known: Known, changes: Annotated[ChangeStream, Depends(hold_view)], cut: Asked
) -> AsyncIterator[ServerSentEvent]:
    """Send the fragment of `/result` on every change, and `done` when judging is over."""

    def read(session: Session, _viewer: Viewer) -> RejudgingView:
        return view_rejudging(session, get_rejudging(session, known.id))

    async with aclosing(changes.stream(known.id, read)) as views:
        async for view in views:
            yield ServerSentEvent(event="result", raw_data=await run_in_threadpool(_render_result, visit, view, cut))
            if view.state != "judging":
                yield ServerSentEvent(event="done", raw_data="")
                return


@router.post("/{rejudging_id}/apply", dependencies=[Depends(require_own_origin)])
def let_it_count(visit: CurrentVisit, view: Known) -> Response:
    try:
        with visit.transaction() as session:
            apply(session, view.id, visit.actor)
    except Conflict as refusal:
        return _show(visit, view, message=str(refusal))
    return see_other(f"{HOME}/{view.id}")


@router.post("/{rejudging_id}/cancel", dependencies=[Depends(require_own_origin)])
def drop(visit: CurrentVisit, view: Known) -> Response:
    try:
        with visit.transaction() as session:
            cancel(session, view.id, visit.actor)
    except Conflict as refusal:
        return _show(visit, view, message=str(refusal))
    return see_other(f"{HOME}/{view.id}")


def _read(visit: Visit, rejudging_id: UUID) -> RejudgingView:
    """Read the rejudging in its own transaction. Raises NotFound."""
    with visit.transaction() as session:
        return view_rejudging(session, get_rejudging(session, rejudging_id))


def _render_result(visit: Visit, view: RejudgingView, cut: ChangeQuery) -> str:
    return render_text("admin/rejudging_result.html", {"may": visit.may, **_context(visit, view, cut)})


def _show(visit: Visit, view: RejudgingView, cut: ChangeQuery = WHOLE, message: str = "") -> Response:
    context = {"message": message, **_context(visit, view, cut)}
    return visit.render("admin/rejudging.html", context, 409 if message else 200)


def _context(visit: Visit, view: RejudgingView, cut: ChangeQuery) -> dict[str, Any]:
    """Return the page's context. `asked` is the query of the fragment's address."""
    with visit.transaction() as session:
        row = get_rejudging(session, view.id)
        page = list_changes(session, row, only_changed=cut.only_changed, cursor=cut.cursor or None)
        grade_changes = list_grade_changes(session, row) if row.decision != "cancelled" else []
    query = {"only": "changed"} if cut.only_changed else {}
    asked = urlencode(query | ({"cursor": cut.cursor} if cut.cursor else {}))
    return {
        "view": view,
        "page": page,
        "grade_changes": grade_changes,
        "query": query,
        "is_first": not cut.cursor,
        "asked": f"?{asked}" if asked else "",
    }


def _show_form(visit: Visit, given: Mapping[str, str], refusal: str = "") -> Response:
    """Render the selection form, with a preview after it was sent."""
    typed = {name: given.get(name, "").strip() for name in (*CRITERIA, *FLAGS)}
    onto, found, criteria = given.get("onto", "own"), None, ""
    with visit.transaction() as session:
        lists = {"problems": list_named(session), "verdicts": list(Verdict)}
        if typed.keys() & given.keys() and not refusal:
            try:
                choice = _read_choice(typed)
                found = preview(session, choice, _read_onto(onto))
                criteria = choice.model_dump_json(exclude_defaults=True)
            except AllcloseError as fault:
                refusal = str(fault)
    context = {"given": typed, "onto": onto, "preview": found, "criteria": criteria, "refusal": refusal}
    return visit.render("admin/rejudging_new.html", context | lists, 422 if refusal else 200)


def _read_choice(typed: Mapping[str, str]) -> Choice:
    """Raises Invalid."""
    given: dict[str, Any] = {name: text for name, text in typed.items() if text}
    given |= {name: read_moment(name, typed[name]) for name in ("since", "until")}
    if "ids" in given:
        given["ids"] = given["ids"].replace(",", " ").split()
    return read_fields(Choice, given)


def _read_onto(onto: str) -> Onto:
    """Raises Invalid."""
    if onto not in get_args(Onto):
        raise Invalid("onto", "choose the revisions of the verdicts or the current revisions")
    return cast(Onto, onto)
