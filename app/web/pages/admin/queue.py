"""The queue and its workers, with buttons to drain and resume a worker."""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Response

from app.accounts.permission import Permission, Viewer
from app.admin.queue import read_queue
from app.admin.worker import drain, list_workers, resume
from app.web.permission import needs
from app.web.visit import CurrentVisit, require_own_origin, see_other

router = APIRouter(prefix="/admin/queue")

HERE = "/admin/queue"
REFRESH_SECONDS = 10
Watcher = Annotated[Viewer, needs(Permission.READ_OPERATIONS, home=HERE)]
Operator = Annotated[Viewer, needs(Permission.OPERATE, home=HERE)]


@router.get("")
def show_queue(visit: CurrentVisit, viewer: Watcher, live: bool = False) -> Response:  # noqa: ARG001
    """With `live`, the browser reloads the page by itself. Without it, the page stands still to be read."""
    with visit.transaction() as session:
        context = {"state": read_queue(session), "workers": list_workers(session), "live": live}
    context |= {"now": datetime.now(UTC), "refresh_seconds": REFRESH_SECONDS}
    answer = visit.render("admin/queue.html", context)
    if live:
        answer.headers["Refresh"] = str(REFRESH_SECONDS)
    return answer


@router.post("/workers/{worker_id}/drain", dependencies=[Depends(require_own_origin)])
def drain_worker(visit: CurrentVisit, viewer: Operator, worker_id: UUID, live: bool = False) -> Response:  # noqa: ARG001
    with visit.transaction() as session:
        drain(session, visit.actor, worker_id)
    return see_other(f"{HERE}?live=true" if live else HERE)


@router.post("/workers/{worker_id}/resume", dependencies=[Depends(require_own_origin)])
def resume_worker(visit: CurrentVisit, viewer: Operator, worker_id: UUID, live: bool = False) -> Response:  # noqa: ARG001
    with visit.transaction() as session:
        resume(session, visit.actor, worker_id)
    return see_other(f"{HERE}?live=true" if live else HERE)
