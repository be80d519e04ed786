"""The queue: waiting and running judgings."""

from fastapi import APIRouter

from app.admin.queue import QueueState, read_queue
from app.api.dependency import OperationsReader, Stored

router = APIRouter(tags=["operations"])


@router.get("/queue", summary="Waiting and running judgings, with their users and times")
def get_queue(viewer: OperationsReader, database: Stored) -> QueueState:  # noqa: ARG001
    with database.transaction() as session:
        return read_queue(session)
