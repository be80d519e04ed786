"""Every judge_error with its cause. `POST /rejudgings` judges the submissions again."""

from operator import attrgetter
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, Field

from app.admin.judge_error import CauseView, ErrorFilters, JudgeErrorPage, list_causes, list_judge_errors
from app.api.dependency import OperationsReader, ShortSliced, Sliced, Stored
from app.database.cursor import cut_list
from app.database.engine import storable

router = APIRouter(prefix="/judge-errors", tags=["operations"])


class CauseList(BaseModel):
    items: list[CauseView]
    next: str | None = Field(None, description="the `cursor` of the next page; null on the last page")


def read_filters(
    problem: Annotated[str | None, Query(description="judge errors of this problem")] = None,
    kind: Annotated[str | None, Query(description="the class of the error", examples=["BoxLost"])] = None,
    cause: Annotated[str | None, Query(description="one of `GET /judge-errors/causes`")] = None,
) -> ErrorFilters:
    return ErrorFilters(problem=storable(problem), kind=storable(kind), cause=storable(cause))


@router.get(
    "",
    operation_id="list_judge_errors",
    summary="Every judge_error, newest first",
)
def get_judge_errors(
    viewer: OperationsReader,  # noqa: ARG001
    database: Stored,
    filters: Annotated[ErrorFilters, Depends(read_filters)],
    wanted: Sliced,
) -> JudgeErrorPage:
    with database.transaction() as session:
        return list_judge_errors(session, filters, wanted.cursor, wanted.limit)


@router.get(
    "/causes",
    operation_id="list_judge_error_causes",
    summary="Judge errors grouped by cause, with their counts",
)
def get_causes(viewer: OperationsReader, database: Stored, wanted: ShortSliced) -> CauseList:  # noqa: ARG001
    """The 100 causes with the most open judge errors."""
    with database.transaction() as session:
        items, following = cut_list(list_causes(session), attrgetter("cause"), wanted)
    return CauseList(items=list(items), next=following)
