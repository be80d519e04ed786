"""Problems, as students see them before solving them."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel

from app.api.dependency import Stored, limit_address
from app.api.openapi import problems
from app.api.slug import Slug
from app.catalog.manifest import Difficulty
from app.catalog.query import ProblemDetail, ProblemFilters, ProblemSummary, get_problem, list_problems

PAGE = 50
MAX_PAGE = 200

router = APIRouter(prefix="/problems", tags=["problems"], dependencies=[Depends(limit_address)])


class ProblemPage(BaseModel):
    """In the order of tracks; `next` is the `cursor` of the following page, null on the last one."""

    items: tuple[ProblemSummary, ...]
    next: str | None


def read_filters(
    tag: Annotated[str | None, Query(description="problems with this tag")] = None,
    difficulty: Difficulty | None = None,
    track: Annotated[str | None, Query(description="problems of this track")] = None,
    q: Annotated[str | None, Query(description="words that stand in the title, summary, tags or slug")] = None,
) -> ProblemFilters:
    return ProblemFilters(tag=tag, difficulty=difficulty, track=track, q=q)


@router.get("", responses=problems(422), summary="List problems")
def get_problem_page(
    database: Stored,
    filters: Annotated[ProblemFilters, Depends(read_filters)],
    cursor: Annotated[str | None, Query(description="`next` of the page before")] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE, description="problems per page")] = PAGE,
) -> ProblemPage:
    with database.transaction() as session:
        items, following = list_problems(session, filters, cursor, limit)
    return ProblemPage(items=items, next=following)


@router.get("/{slug}", responses=problems(404), summary="One problem: statement, parameters, samples, starter, limits")
def get_problem_detail(database: Stored, slug: Slug) -> ProblemDetail:
    with database.transaction() as session:
        return get_problem(session, slug)
