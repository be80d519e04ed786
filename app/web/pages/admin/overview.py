"""The overview of the last day with the first steps of a new deployment, storage, and all problems."""

from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Response

from app.accounts.permission import Permission, Viewer
from app.admin.first_steps import dismiss_steps, keep_sign_up, list_open_steps
from app.admin.overview import read_overview, read_storage
from app.admin.retention import read_retention
from app.admin.revision import list_current, list_outdated
from app.api.request_state import get_settings, shared_state
from app.queue.heartbeat import ALIVE
from app.web.permission import needs
from app.web.visit import CurrentVisit, require_own_origin, see_other

router = APIRouter(prefix="/admin")

ReadsOperations = Annotated[Viewer, needs(Permission.READ_OPERATIONS)]
ChangesSettings = Annotated[Viewer, needs(Permission.CHANGE_SETTINGS, home="/admin")]
# The number of tables with a bar; the smaller ones are summed up.
DRAWN = 12


@router.get("")
def show_overview(visit: CurrentVisit, viewer: ReadsOperations) -> Response:  # noqa: ARG001
    # Workers that start together with the server need seconds until their first heartbeat.
    workers_may_start = datetime.now(UTC) - shared_state(visit.request).started_at < ALIVE
    with visit.transaction() as session:
        steps = list_open_steps(session)
        overview = read_overview(session, get_settings(visit.request).data)
    context = {"overview": overview, "first_steps": steps, "workers_may_start": workers_may_start}
    return visit.render("admin/overview.html", context)


@router.post("/first-steps/dismiss", dependencies=[Depends(require_own_origin)])
def dismiss_first_steps(visit: CurrentVisit, viewer: ChangesSettings) -> Response:  # noqa: ARG001
    with visit.transaction() as session:
        dismiss_steps(session, visit.actor)
    return see_other("/admin")


@router.post("/first-steps/keep-sign-up", dependencies=[Depends(require_own_origin)])
def keep_sign_up_as_it_is(visit: CurrentVisit, viewer: ChangesSettings) -> Response:  # noqa: ARG001
    with visit.transaction() as session:
        keep_sign_up(session, visit.actor)
    return see_other("/admin")


@router.get("/problems")
def show_problems(
    visit: CurrentVisit,
    viewer: ReadsOperations,  # noqa: ARG001
    q: str = "",
    state: Literal["", "ready", "waiting", "outdated"] = "",
) -> Response:
    """With `q`, show the problems with these words in slug or title. `waiting`: not ready to judge yet."""
    with visit.transaction() as session:
        revisions, outdated = list_current(session), list_outdated(session)
    words = q.lower().split()
    shown = [
        revision
        for revision in revisions
        if all(word in f"{revision.problem} {revision.title}".lower() for word in words)
        and {
            "": True,
            "ready": revision.is_ready,
            "waiting": not revision.is_ready,
            "outdated": revision.problem in outdated,
        }[state]
    ]
    query = {name: value for name, value in (("q", q), ("state", state)) if value}
    context = {"revisions": shown, "outdated": outdated, "query": query, "total": len(revisions)}
    return visit.render("admin/problems.html", context)


@router.get("/storage")
def show_storage(visit: CurrentVisit, viewer: ReadsOperations) -> Response:  # noqa: ARG001
    with visit.transaction() as session:
        storage = read_storage(session, get_settings(visit.request).data)
        retention = read_retention(session)
    return visit.render("admin/storage.html", {"storage": storage, "retention": retention, "drawn": DRAWN})
