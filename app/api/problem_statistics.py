"""Statistics of a problem's last submissions, for authors."""

from fastapi import APIRouter

from app.api.dependency import Author, Stored
from app.api.field import KnownSlug
from app.learning.problem_statistics import ProblemStatistics, read_problem_statistics

router = APIRouter(prefix="/problems/{slug}/statistics", tags=["authors"])


@router.get(
    "",
    operation_id="get_problem_statistics",
    summary="Solve rate, mistakes, failing cases and hints of a problem's last submissions",
)
def get_statistics_of_problem(author: Author, slug: KnownSlug, database: Stored) -> ProblemStatistics:  # noqa: ARG001
    with database.transaction() as session:
        return read_problem_statistics(session, slug)
