"""Every judge_error with its cause. `POST /rejudgings` judges the submissions again."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel

from app.admin.judge_error import CauseView, ErrorFilters, JudgeErrorPage, list_causes, list_judge_errors
from app.api.dependency import Cursor, OperationsReader, Stored
from app.api.openapi import problems
from app.database.engine import storable

router = APIRouter(prefix="/judge-errors", tags=["operations"])


class CauseList(BaseModel):
    items: list[CauseView]


def read_filters(
    problem: Annotated[str | None, Query(description="judge errors of this problem")] = None,
    kind: Annotated[str | None, Query(description="the class of the error", examples=["BoxLost"])] = None,
    cause: Annotated[str | None, Query(description="one of `GET /judge-errors/causes`")] = None,
) -> ErrorFilters:
    return ErrorFilters(problem=storable(problem), kind=storable(kind), cause=storable(cause))


@router.get(
    "",
    responses=problems(401, 403, 404, 422),
    operation_id="list_judge_errors",
    summary="Every judge_error, newest first",
)
def get_judge_errors(
    viewer: OperationsReader,  # noqa: ARG001
    database: Stored,
    filters: Annotated[ErrorFilters, Depends(read_filters)],
    cursor: Cursor = None,
) -> JudgeErrorPage:
    with database.transaction() as session:
        return list_judge_errors(session, filters, cursor)


@router.get(
    "/causes",
    responses=problems(401, 403),
    operation_id="list_judge_error_causes",
    summary="Judge errors grouped by cause, with their counts",
)
def get_causes(viewer: OperationsReader, database: Stored) -> CauseList:  # noqa: ARG001
    with database.transaction() as session:
        return CauseList(items=list_causes(session))
