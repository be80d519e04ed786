"""The overview of the last day, storage, retention, and the state of problems and revisions."""

from typing import Annotated

from fastapi import APIRouter, Query

from app.admin.overview import Overview, Storage, read_overview, read_storage
from app.admin.retention import Retention, read_retention
from app.admin.revision import RevisionStates, list_current, list_of_problem
from app.api.dependency import Configured, OperationsReader, ShortSliced, Stored
from app.database.cursor import cut_list

router = APIRouter(tags=["administration"])


@router.get("/overview", summary="The last 24 hours at a glance")
def get_overview(viewer: OperationsReader, database: Stored, settings: Configured) -> Overview:  # noqa: ARG001
    with database.transaction() as session:
        return read_overview(session, settings.data)


@router.get("/storage", summary="Storage used, by table and by folder")
def get_storage(viewer: OperationsReader, database: Stored, settings: Configured) -> Storage:  # noqa: ARG001
    with database.transaction() as session:
        return read_storage(session, settings.data)


@router.get("/retention", summary="Rows that are due for removal, and the last removal")
def get_retention(viewer: OperationsReader, database: Stored) -> Retention:  # noqa: ARG001
    """Allclose removes old rows within the hour. The settings `keep_…_days` say which rows are old."""
    with database.transaction() as session:
        return read_retention(session)


@router.get("/revisions", summary="The state of problems and revisions")
def list_revision_states(
    viewer: OperationsReader,  # noqa: ARG001
    database: Stored,
    wanted: ShortSliced,
    problem: Annotated[
        str | None, Query(description="all revisions of this problem; without it, the current revision of each problem")
    ] = None,
) -> RevisionStates:
    with database.transaction() as session:
        states = list_of_problem(session, problem) if problem else list_current(session)
    items, following = cut_list(states, lambda state: f"{state.problem} {state.number}", wanted)
    return RevisionStates(items=tuple(items), next=following)
