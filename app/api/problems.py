"""Problems as students see them before solving them."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, Field

from app.api.dependency import Address, AnyViewer, Author, Sliced, Stored, act_as
from app.api.error_code import NotSignedIn
from app.api.field import KnownSlug, Slug
from app.api.openapi import OPEN_TO_ALL
from app.authoring.availability import AvailabilityWish, choose_availability
from app.catalog.manifest import Difficulty
from app.catalog.parameter import Framework
from app.catalog.query import ListedProblem, ProblemDetail, ProblemState, get_problem
from app.catalog.search import MAX_TAGS, ProblemFilters, ProblemOrder, list_problems
from app.catalog.spelling import forgive
from app.learning.progress import states_for

router = APIRouter(prefix="/problems", tags=["problems"])


class ProblemPage(BaseModel):
    """In the order of the tracks, or with `q` the best match first. `next` is the next page's `cursor`, or null."""

    items: tuple[ListedProblem, ...]
    next: str | None
    corrected_q: str | None = Field(
        None, description="the words that these problems match, if none matched `q` because of typing errors"
    )


def read_filters(
    tag: Annotated[
        list[str] | None, Query(max_length=MAX_TAGS, description="problems with this tag; repeat it for several tags")
    ] = None,
    difficulty: Difficulty | None = None,
    track: Annotated[str | None, Query(description="problems of this track")] = None,
    framework: Annotated[Framework | None, Query(description="problems that use this framework")] = None,
    state: Annotated[ProblemState | None, Query(description="your progress with the problem; needs a token")] = None,
    bookmarked: Annotated[bool | None, Query(description="whether you bookmarked the problem; needs a token")] = None,
    q: Annotated[
        str | None,
        Query(description="words, or starts of words, in what students read; typing errors are corrected"),
    ] = None,
    order: Annotated[
        ProblemOrder | None,
        Query(description="by solve rate or students; problems with too few students come last"),
    ] = None,
) -> ProblemFilters:
    return ProblemFilters(
        tags=tuple(dict.fromkeys(tag or ())),
        difficulty=difficulty,
        track=track,
        framework=framework,
        state=state,
        bookmarked=bookmarked,
        q=q,
        order=order,
    )


@router.get("", openapi_extra=OPEN_TO_ALL, operation_id="list_problems", summary="List problems")
def get_problem_page(
    database: Stored,
    viewer: AnyViewer,
    filters: Annotated[ProblemFilters, Depends(read_filters)],
    wanted: Sliced,
) -> ProblemPage:
    if filters.state is not None and viewer is None:
        raise NotSignedIn("The filter state is about your own progress. Send a token, or leave it out.")
    if filters.bookmarked is not None and viewer is None:
        raise NotSignedIn("The filter bookmarked is about your own bookmarks. Send a token, or leave it out.")
    states = states_for(viewer)
    with database.transaction() as session:
        corrected = forgive(session, filters, states)
        items, following = list_problems(session, corrected or filters, wanted, states)
    return ProblemPage(items=items, next=following, corrected_q=corrected.q if corrected else None)


@router.get(
    "/{slug}",
    openapi_extra=OPEN_TO_ALL,
    operation_id="get_problem",
    summary="One problem: statement, parameters, samples, starter, limits",
)
def get_problem_detail(database: Stored, viewer: AnyViewer, slug: Slug) -> ProblemDetail:
    with database.transaction() as session:
        return get_problem(session, slug, viewer.id if viewer else None)


@router.patch(
    "/{slug}",
    operation_id="change_problem",
    summary="List a problem, or make it unlisted, a course's, a draft or withdrawn",
)
def patch_problem(
    author: Author,
    address: Address,
    database: Stored,
    slug: KnownSlug,
    wanted: AvailabilityWish,
) -> ProblemDetail:
    """Submissions, histories and solved problems stay. For one that assignments use, a 409 names them."""
    with database.transaction() as session:
        choose_availability(session, author, act_as(author, address), slug, wanted)
        return get_problem(session, slug, author.id)
