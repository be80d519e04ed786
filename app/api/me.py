"""Your own account and statistics. You change the account on its page."""

from dataclasses import dataclass, fields

from fastapi import APIRouter

from app.api.dependency import AccountReader, Stored
from app.api.users import UserView
from app.learning.solution import count_solved_after_seeing
from app.submissions.statistics import Statistics, read_statistics

router = APIRouter(prefix="/me", tags=["users"])


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnStatistics(Statistics):
    """`solved_after_seeing_the_solution` counts problems that are also in the solved ones."""

    solved_after_seeing_the_solution: int


@router.get("", summary="Your account and role")
def get_me(viewer: AccountReader) -> UserView:
    return UserView.model_validate(viewer.user)


@router.get("/statistics", summary="Statistics of your submissions, with days in UTC")
def get_statistics(viewer: AccountReader, database: Stored) -> OwnStatistics:
    with database.transaction() as session:
        statistics = read_statistics(session, viewer.id)
        seen = count_solved_after_seeing(session, viewer.id)
    counted = {field.name: getattr(statistics, field.name) for field in fields(statistics)}
    return OwnStatistics(**counted, solved_after_seeing_the_solution=seen)
