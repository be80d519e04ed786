"""Who am I, what have I done, and may leaderboards show me?"""

from dataclasses import dataclass, fields

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field, StrictBool

from app.accounts.model import User
from app.api.dependency import AccountChanger, AccountReader, Stored
from app.api.openapi import problems
from app.api.users import UserView
from app.leaderboard.membership import set_ranked
from app.learning.solution import count_solved_after_seeing
from app.statistics.query import Statistics, read_statistics

router = APIRouter(prefix="/me", tags=["users"])


class Change(BaseModel):
    model_config = ConfigDict(extra="forbid")

    is_ranked: StrictBool = Field(
        description="whether leaderboards show your name and how fast and lean your solutions are"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnStatistics(Statistics):
    """`solved_after_seeing_the_solution` counts those among the solved problems."""

    solved_after_seeing_the_solution: int


@router.get("", responses=problems(401), summary="Who am I, and what is my role")
def get_me(viewer: AccountReader) -> UserView:
    return UserView.model_validate(viewer.user)


@router.patch("", responses=problems(401, 422), summary="Come to leaderboards, or leave them")
def patch_me(viewer: AccountChanger, database: Stored, change: Change) -> UserView:
    with database.transaction() as session:
        set_ranked(session, viewer.id, is_ranked=change.is_ranked)
        return UserView.model_validate(session.get_one(User, viewer.id))


@router.get("/statistics", responses=problems(401), summary="What your submissions add up to, in days of UTC")
def get_statistics(viewer: AccountReader, database: Stored) -> OwnStatistics:
    with database.transaction() as session:
        statistics = read_statistics(session, viewer.id)
        seen = count_solved_after_seeing(session, viewer.id)
    counted = {field.name: getattr(statistics, field.name) for field in fields(statistics)}
    return OwnStatistics(**counted, solved_after_seeing_the_solution=seen)
