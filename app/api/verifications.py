"""Verifications of packages: progress, report, and publishing later. For authors."""

from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Response

from app.api.archive import PACKAGE, send_package
from app.api.dependency import Address, AllLimits, Author, Live, Sliced, Stored, act_as
from app.api.long_poll import MAX_WAIT_SECONDS, hold_stream, long_poll
from app.authoring.publication import publish_verified
from app.authoring.query import (
    VerificationPage,
    VerificationView,
    get_readable_verification,
    get_verification,
    page_verifications,
    view_verification,
)
from app.authoring.send import cancel_as
from app.database.engine import Database

router = APIRouter(prefix="/verifications", tags=["authors"])

Wait = Annotated[
    int,
    Query(ge=0, le=MAX_WAIT_SECONDS, description="seconds to wait for the end; the answer comes as soon as it is done"),
]


def check_readable(verification_id: UUID, author: Author, database: Stored) -> UUID:
    """Raises NotFound before the answer starts, while it can still have a status."""
    with database.transaction() as session:
        return get_readable_verification(session, author.id, verification_id).id


Known = Annotated[UUID, Depends(check_readable)]


@router.get("", operation_id="list_verifications", summary="List the packages that you sent")
def get_verifications(author: Author, database: Stored, wanted: Sliced) -> VerificationPage:
    with database.transaction() as session:
        return page_verifications(session, author.id, wanted.cursor, wanted.limit)


@router.get(
    "/{verification_id}",
    operation_id="get_verification",
    summary="A verification and its report",
)
async def get_verification_view(
    known: Known, author: Author, database: Stored, progress: Live, limits: AllLimits, wait: Wait = 0
) -> VerificationView:
    """With `wait`, the answer comes when the verification is done, or after `wait` seconds."""
    read = partial(read_view, database, known)
    with hold_stream(limits, author.id, wait), progress.watch(known) as watch:
        return await long_poll(read, lambda view: view.finished_at is not None, wait, watch.changed)


@router.get(
    "/{verification_id}/files",
    response_class=Response,
    responses={200: PACKAGE},
    summary="Download the package's files as a zip archive",
)
def get_verification_files(known: Known, database: Stored) -> Response:
    with database.transaction() as session:
        row = get_verification(session, known, with_files=True)
        return send_package(row.slug, row.files, f"{row.slug}-{row.digest[:12]}.zip")


@router.post(
    "/{verification_id}/publish",
    operation_id="publish_verification",
    summary="Publish a verified package",
)
def publish_package(author: Author, known: Known, address: Address, database: Stored) -> VerificationView:
    with database.transaction() as session:
        row = get_verification(session, known, with_files=True)
        publish_verified(session, row, act_as(author, address))
        return view_verification(session, row)


@router.post("/{verification_id}/cancel", summary="Cancel a verification")
def cancel_verification(known: Known, author: Author, address: Address, database: Stored) -> VerificationView:
    """A finished verification does not change."""
    with database.transaction() as session:
        row = get_verification(session, known)
        cancel_as(session, act_as(author, address), row)
        return view_verification(session, row)


def read_view(database: Database, verification_id: UUID) -> VerificationView:
    """Read it in a transaction of its own. Raises NotFound."""
    with database.transaction() as session:
        return view_verification(session, get_verification(session, verification_id))
