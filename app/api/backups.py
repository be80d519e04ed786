"""Backups that this deployment makes, keeps and restores while it runs. A backup can't be uploaded."""

import asyncio
from collections.abc import Awaitable
from http import HTTPStatus
from operator import attrgetter
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import Field, StrictBool

from app.accounts.permission import Permission, Viewer
from app.api.archive import ARCHIVE, send_file
from app.api.dependency import Address, Seats, ShortSliced, act_as, needs
from app.api.long_poll import MAX_WAIT_SECONDS, long_poll
from app.api.openapi import locates, problems
from app.backup.service import BackupList, BackupService, BackupView
from app.body import Body
from app.database.cursor import cut_list
from app.request_state import get_backup_service

LOOK_AGAIN_SECONDS = 0.25

router = APIRouter(prefix="/backups", tags=["backups"])

BackupMaker = Annotated[Viewer, needs(Permission.BACK_UP)]


Service = Annotated[BackupService, Depends(get_backup_service)]
Wait = Annotated[
    int,
    Query(ge=0, le=MAX_WAIT_SECONDS, description="seconds to wait until the backup is written or restored"),
]


class Replacement(Body):
    replace: StrictBool = Field(False, description="true: delete all current data", examples=[True])


@router.post(
    "",
    status_code=HTTPStatus.ACCEPTED,
    responses={202: locates("the backup's path"), **problems(401, 403, 409, 429)},
    operation_id="create_backup",
    summary="Make a backup of everything",
)
def create_backup(viewer: BackupMaker, address: Address, service: Service, response: Response) -> BackupView:
    """The backup has the data as of now. The service goes on meanwhile; `GET /backups/{name}` shows the progress."""
    return _accepted(response, service.make(act_as(viewer, address)))


@router.get("", responses=problems(401, 403), operation_id="list_backups", summary="List backups")
def list_backups(viewer: BackupMaker, service: Service, wanted: ShortSliced) -> BackupList:  # noqa: ARG001
    backups = service.list_all()
    items, following = cut_list(backups.items, attrgetter("name"), wanted)
    return backups.model_copy(update={"items": tuple(items), "next": following})


@router.get(
    "/{name}",
    responses=problems(401, 403, 404, 422, 429),
    operation_id="get_backup",
    summary="A backup and its progress",
)
async def get_backup(viewer: BackupMaker, service: Service, seats: Seats, name: str, wait: Wait = 0) -> BackupView:
    """With `wait`, the answer comes when the backup or restore has ended, or after `wait` seconds."""

    def look_again(left: float) -> Awaitable[None]:
        return asyncio.sleep(min(LOOK_AGAIN_SECONDS, left))

    with seats.seat(viewer.id, wait):
        return await long_poll(lambda: service.get(name), lambda view: not view.is_under_way, wait, look_again)


@router.get(
    "/{name}/file",
    response_class=StreamingResponse,
    responses={200: ARCHIVE, **problems(401, 403, 404, 422)},
    operation_id="download_backup",
    summary="Download a backup as a zip archive",
)
def download_backup(viewer: BackupMaker, address: Address, service: Service, name: str) -> StreamingResponse:
    """The file contains password hashes, the seeds of hidden inputs, and the keys that sign links."""
    return send_file(service.download(name, act_as(viewer, address)), name)


@router.delete(
    "/{name}",
    status_code=HTTPStatus.NO_CONTENT,
    responses=problems(401, 403, 404, 409, 422),
    operation_id="remove_backup",
    summary="Remove a backup",
)
def remove_backup(viewer: BackupMaker, address: Address, service: Service, name: str) -> None:
    service.remove(name, act_as(viewer, address))


@router.post(
    "/{name}/restore",
    status_code=HTTPStatus.ACCEPTED,
    responses={202: locates("the backup's path"), **problems(401, 403, 404, 409, 422)},
    operation_id="restore_backup",
    summary="Replace all data with a backup",
)
def restore_backup(
    viewer: BackupMaker, address: Address, service: Service, response: Response, name: str, sure: Replacement
) -> BackupView:
    """Restores all data or none. Allclose fills a second database while the service goes on. Then it cuts every
    connection, and for a moment requests get a 503. All changes since the backup are lost: accounts, tokens and
    sessions, and also suspensions and revocations. `GET /backups/{name}` shows the progress.
    """
    return _accepted(response, service.restore(name, act_as(viewer, address), replace=sure.replace))


def _accepted(response: Response, view: BackupView) -> BackupView:
    response.headers["Location"] = f"/api/v1/backups/{view.name}"
    return view
