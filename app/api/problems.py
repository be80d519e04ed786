"""Problems as students see them before solving them."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, Field

from app.api.dependency import Address, AnyViewer, Author, Sliced, Stored, act_as
from app.api.error_code import NotSignedIn
from app.api.etag import IfMatch, require_match
from app.api.field import KnownSlug, Slug
from app.api.openapi import OPEN_TO_ALL, problems
from app.body import Body
from app.catalog.availability import change_availability
from app.catalog.manifest import Difficulty
from app.catalog.model import Availability
from app.catalog.parameter import Framework
from app.catalog.query import ListedProblem, ProblemDetail, ProblemState, get_problem
from app.catalog.search import ProblemFilters, list_problems
from app.learning.progress import states_for

router = APIRouter(prefix="/problems", tags=["problems"])


class ProblemPage(BaseModel):
    """In the order of the tracks, or with `q` the best match first. `next` is the next page's `cursor`, or null."""

    items: tuple[ListedProblem, ...]
    next: str | None


def read_filters(
    tag: Annotated[str | None, Query(description="problems with this tag")] = None,
    difficulty: Difficulty | None = None,
    track: Annotated[str | None, Query(description="problems of this track")] = None,
    framework: Annotated[Framework | None, Query(description="problems that use this framework")] = None,
    state: Annotated[ProblemState | None, Query(description="your progress with the problem; needs a token")] = None,
    q: Annotated[str | None, Query(description="words, or starts of words, in what students read")] = None,
) -> ProblemFilters:
    return ProblemFilters(tag=tag, difficulty=difficulty, track=track, framework=framework, state=state, q=q)


@router.get(
    "", responses=problems(401, 422), openapi_extra=OPEN_TO_ALL, operation_id="list_problems", summary="List problems"
)
def get_problem_page(
    database: Stored,
    viewer: AnyViewer,
    filters: Annotated[ProblemFilters, Depends(read_filters)],
    wanted: Sliced,
) -> ProblemPage:
    if filters.state is not None and viewer is None:
        raise NotSignedIn("The filter state is about your own progress. Send a token, or leave it out.")
    with database.transaction() as session:
        items, following = list_problems(session, filters, wanted, states_for(viewer))
    return ProblemPage(items=items, next=following)


@router.get(
    "/{slug}",
    responses=problems(401, 404),
    openapi_extra=OPEN_TO_ALL,
    operation_id="get_problem",
    summary="One problem: statement, parameters, samples, starter, limits",
)
def get_problem_detail(database: Stored, viewer: AnyViewer, slug: Slug) -> ProblemDetail:
    with database.transaction() as session:
        return get_problem(session, slug, viewer.id if viewer else None)


class ProblemChange(Body):
    availability: Availability = Field(
        description="`listed`; `unlisted`: in no list, but open to everyone who knows the address; `draft`: for "
        "authors only; `withdrawn`: everyone can read it, and it takes no new submissions"
    )


@router.patch(
    "/{slug}",
    responses=problems(401, 403, 404, 412, 422),
    operation_id="change_problem",
    summary="List a problem, or make it unlisted, a draft or withdrawn",
)
def patch_problem(
    author: Author,
    address: Address,
    database: Stored,
    slug: KnownSlug,
    wanted: ProblemChange,
    if_match: IfMatch = None,
) -> ProblemDetail:
    """Submissions, histories and solved problems stay."""
    with database.transaction() as session:
        require_match(if_match, get_problem(session, slug, author.id))
        change_availability(session, slug, wanted.availability, act_as(author, address))
        return get_problem(session, slug, author.id)
