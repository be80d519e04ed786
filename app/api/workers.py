"""Workers: the list, and draining or resuming one."""

from operator import attrgetter
from uuid import UUID

from fastapi import APIRouter

from app.admin.worker import WorkerList, WorkerView, drain, list_workers, resume
from app.api.dependency import Address, OperationsReader, Operator, ShortSliced, Stored, act_as
from app.database.cursor import cut_list

router = APIRouter(prefix="/workers", tags=["operations"])


@router.get(
    "",
    operation_id="list_workers",
    summary="List workers, alive or dead, with their resources and load",
)
def get_workers(viewer: OperationsReader, database: Stored, wanted: ShortSliced) -> WorkerList:  # noqa: ARG001
    """All that are alive, and the 100 that ended last."""
    with database.transaction() as session:
        items, following = cut_list(list_workers(session), attrgetter("id"), wanted)
    return WorkerList(items=list(items), next=following)


@router.post(
    "/{worker_id}/drain",
    summary="Drain a worker: it finishes its judgings and takes no more",
)
def drain_worker(worker_id: UUID, viewer: Operator, address: Address, database: Stored) -> WorkerView:
    with database.transaction() as session:
        return drain(session, act_as(viewer, address), worker_id)


@router.post(
    "/{worker_id}/resume",
    summary="Resume a worker: it takes judgings again",
)
def resume_worker(worker_id: UUID, viewer: Operator, address: Address, database: Stored) -> WorkerView:
    with database.transaction() as session:
        return resume(session, act_as(viewer, address), worker_id)
