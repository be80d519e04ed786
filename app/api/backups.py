"""Backups that this deployment makes, keeps and restores while it runs. None comes in from elsewhere."""

import asyncio
import time
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import Field, StrictBool
from starlette.concurrency import run_in_threadpool

from app.accounts.permission import Permission, Viewer
from app.api.archive import ARCHIVE, send_file
from app.api.dependency import Address, Seats, act_as, needs
from app.api.openapi import problems
from app.api.submissions import MAX_WAIT_SECONDS
from app.backup.service import BackupList, BackupService, BackupView
from app.body import Body
from app.request_state import get_backup_desk

LOOK_AGAIN_SECONDS = 0.25

router = APIRouter(prefix="/backups", tags=["backups"])

BackupMaker = Annotated[Viewer, needs(Permission.BACK_UP)]


Desk = Annotated[BackupService, Depends(get_backup_desk)]
Wait = Annotated[
    int,
    Query(ge=0, le=MAX_WAIT_SECONDS, description="seconds to wait until it is written, or what restores it is through"),
]
_LOCATION = {"Location": {"description": "the backup's path", "schema": {"type": "string"}, "required": True}}


class Replacement(Body):
    replace: StrictBool = Field(False, description="yes: what is there now, all of it, may go", examples=[True])


@router.post(
    "",
    status_code=HTTPStatus.ACCEPTED,
    responses={202: {"headers": _LOCATION}, **problems(401, 403, 409, 429)},
    operation_id="create_backup",
    summary="Make a backup of everything",
)
def create_backup(viewer: BackupMaker, address: Address, desk: Desk, response: Response) -> BackupView:
    """It is of this moment, and is written while the service goes on; `GET /backups/{name}` says how far it is."""
    return _accepted(response, desk.make(act_as(viewer, address)))


@router.get("", responses=problems(401, 403), operation_id="list_backups", summary="List the backups that are kept")
def list_backups(viewer: BackupMaker, desk: Desk) -> BackupList:  # noqa: ARG001
    return desk.list_all()


@router.get(
    "/{name}",
    responses=problems(401, 403, 404, 422, 429),
    operation_id="get_backup",
    summary="A backup, or how far it is",
)
async def get_backup(viewer: BackupMaker, desk: Desk, seats: Seats, name: str, wait: Wait = 0) -> BackupView:
    """Holds no database connection while it waits."""
    deadline = time.monotonic() + wait
    with seats.seat(viewer.id, wait):
        view = await run_in_threadpool(desk.get, name)
        while view.is_under_way and (left := deadline - time.monotonic()) > 0:
            await asyncio.sleep(min(LOOK_AGAIN_SECONDS, left))
            view = await run_in_threadpool(desk.get, name)
    return view


@router.get(
    "/{name}/file",
    response_class=StreamingResponse,
    responses={200: ARCHIVE, **problems(401, 403, 404, 422)},
    operation_id="download_backup",
    summary="Everything, as a zip archive",
)
def download_backup(viewer: BackupMaker, address: Address, desk: Desk, name: str) -> StreamingResponse:
    """It holds password hashes, the secrets of hidden inputs and the keys that links are signed with."""
    return send_file(desk.take_out(name, act_as(viewer, address)), name)


@router.delete(
    "/{name}",
    status_code=HTTPStatus.NO_CONTENT,
    responses=problems(401, 403, 404, 409, 422),
    operation_id="remove_backup",
    summary="Remove a backup",
)
def remove_backup(viewer: BackupMaker, address: Address, desk: Desk, name: str) -> None:
    desk.remove(name, act_as(viewer, address))


@router.post(
    "/{name}/restore",
    status_code=HTTPStatus.ACCEPTED,
    responses={202: {"headers": _LOCATION}, **problems(401, 403, 404, 409, 422)},
    operation_id="restore_backup",
    summary="Put a backup in the place of everything",
)
def restore_backup(
    viewer: BackupMaker, address: Address, desk: Desk, response: Response, name: str, sure: Replacement
) -> BackupView:
    """All of it or nothing. A database beside is filled while the service goes on; then every connection is cut, and
    for a moment requests are answered with 503. What came after the backup is gone, accounts, tokens and sessions too;
    who was suspended and what was revoked since is so no more. `GET /backups/{name}` says how far it is.
    """
    return _accepted(response, desk.restore(name, act_as(viewer, address), replace=sure.replace))


def _accepted(response: Response, view: BackupView) -> BackupView:
    response.headers["Location"] = f"/api/v1/backups/{view.name}"
    return view
