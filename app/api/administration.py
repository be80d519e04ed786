"""What takes space, what is removed when it is old, and what state problems and revisions are in."""

from typing import Annotated

from fastapi import APIRouter, Query

from app.admin.overview import Overview, Storage, read_overview, read_storage
from app.admin.retention import Retention, read_retention
from app.admin.revision import RevisionStates, list_current, list_of_problem
from app.api.dependency import Configured, OperationsReader, Stored
from app.api.openapi import problems

router = APIRouter(tags=["administration"])


@router.get("/overview", responses=problems(401, 403), summary="The last 24 hours at a glance")
def get_overview(viewer: OperationsReader, database: Stored) -> Overview:  # noqa: ARG001
    with database.transaction() as session:
        return read_overview(session)


@router.get("/storage", responses=problems(401, 403), summary="What takes space, by table and by folder")
def get_storage(viewer: OperationsReader, database: Stored, settings: Configured) -> Storage:  # noqa: ARG001
    with database.transaction() as session:
        return read_storage(session, settings.data)


@router.get(
    "/retention", responses=problems(401, 403), summary="What is old enough to be removed, and what was removed"
)
def get_retention(viewer: OperationsReader, database: Stored) -> Retention:  # noqa: ARG001
    """It goes within the hour, by itself; the settings `keep_…_days` say what is old."""
    with database.transaction() as session:
        return read_retention(session)


@router.get("/revisions", responses=problems(401, 403, 404, 422), summary="What state problems and revisions are in")
def list_revision_states(
    viewer: OperationsReader,  # noqa: ARG001
    database: Stored,
    problem: Annotated[str | None, Query(description="all of this one's; without, the current one of each")] = None,
) -> RevisionStates:
    with database.transaction() as session:
        return RevisionStates(items=list_of_problem(session, problem) if problem else list_current(session))
