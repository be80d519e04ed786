"""Solutions that users share: listing, reading, sharing and withdrawing them."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query
from pydantic import ConfigDict, Field

from app.api.dependency import Discusser, Reader, SliceQuery, Stored
from app.api.field import KnownSlug
from app.api.request_state import require_shared_solutions
from app.database.cursor import Slice
from app.learning.shared_solution import Order, SharedPage, SharedSource, get_shared, list_shared, share, withdraw

router = APIRouter(tags=["discussions"], dependencies=[Depends(require_shared_solutions)])


class SharedQuery(SliceQuery):
    model_config = ConfigDict(extra="forbid")

    order: Order = Field("fastest", description="`fastest` and `shortest`: least first; `newest`: last shared first")


@router.get(
    "/problems/{slug}/shared-solutions",
    operation_id="list_shared_solutions",
    summary="List solutions that users share",
)
def get_shared_solutions(
    slug: KnownSlug, viewer: Reader, database: Stored, query: Annotated[SharedQuery, Query()]
) -> SharedPage:
    with database.transaction() as session:
        return list_shared(session, viewer, slug, query.order, Slice(cursor=query.cursor, limit=query.limit))


@router.get(
    "/shared-solutions/{submission_id}",
    operation_id="get_shared_solution",
    summary="A shared solution with its code",
)
def get_shared_solution(submission_id: UUID, viewer: Reader, database: Stored) -> SharedSource:
    with database.transaction() as session:
        return get_shared(session, viewer, submission_id)


@router.put(
    "/submissions/{submission_id}/sharing",
    status_code=HTTPStatus.NO_CONTENT,
    operation_id="share_submission",
    summary="Share one of your accepted submissions",
)
def put_sharing(submission_id: UUID, viewer: Discusser, database: Stored) -> None:
    """Users to whom the problem's solution is open can read it, with your user name."""
    with database.transaction() as session:
        share(session, viewer, submission_id)


@router.delete(
    "/submissions/{submission_id}/sharing",
    status_code=HTTPStatus.NO_CONTENT,
    operation_id="withdraw_submission",
    summary="Stop sharing one of your submissions",
)
def delete_sharing(submission_id: UUID, viewer: Discusser, database: Stored) -> None:
    """A submission that a moderator has hidden stays hidden."""
    with database.transaction() as session:
        withdraw(session, viewer, submission_id)
