"""The solution and the editorial of a problem, once they are open to the user."""

from datetime import datetime
from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from app.api.dependency import Reader, Sender, Stored
from app.api.field import KnownSlug
from app.learning.solution import OpenedBy, Solution, get_solution, show_solution
from app.validation import Body

router = APIRouter(prefix="/problems/{slug}/solution", tags=["learning"])


class AcceptedView(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    name: str
    source: str


class SolutionView(BaseModel):
    opened_by: OpenedBy = Field(
        description="`accepted`: you solved the problem; `asked`: you asked to see the solution"
    )
    shown_at: datetime | None = Field(description="when you asked to see it; null if you never did")
    reference: str = Field(description="Python")
    accepted: tuple[AcceptedView, ...] = Field(description="other correct solutions")
    editorial: str | None = Field(description="Markdown, with formulas in $…$; null if there is none")


class SolutionRequest(Body):
    """Opens the solution without solving the problem. Allclose records it and shows it in your progress."""

    show_me: Literal[True]


@router.get(
    "",
    operation_id="get_solution",
    summary="The solution, after you have solved the problem or opened it",
)
def get_solution_view(slug: KnownSlug, viewer: Reader, database: Stored) -> SolutionView:
    with database.transaction() as session:
        return _view(get_solution(session, viewer.id, slug))


@router.post(
    "",
    operation_id="show_solution",
    summary="Open the solution without solving the problem",
)
def post_solution_request(slug: KnownSlug, _: SolutionRequest, viewer: Sender, database: Stored) -> SolutionView:
    with database.transaction() as session:
        return _view(show_solution(session, viewer.id, slug))


def _view(solution: Solution) -> SolutionView:
    return SolutionView(
        opened_by=solution.opened_by,
        shown_at=solution.lock.shown_at,
        reference=solution.reference,
        accepted=tuple(AcceptedView.model_validate(one) for one in solution.accepted),
        editorial=solution.editorial,
    )
