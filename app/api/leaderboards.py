"""Leaderboards: the accepted solutions of a problem with the least time or memory."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from app.api.dependency import ProblemReader, Stored
from app.api.field import KnownSlug
from app.database.cursor import MAX_PAGE, PAGE
from app.submissions.leaderboard import By, Leaderboard, read_leaderboard

router = APIRouter(prefix="/problems/{slug}/leaderboard", tags=["problems"])


class LeaderboardQuery(BaseModel):
    model_config = ConfigDict(extra="forbid")

    by: By = Field("time", description="the cost to compare with the reference's")
    limit: int = Field(PAGE, ge=1, le=MAX_PAGE, description="entries from the first place on")


@router.get("", summary="The accepted solutions with the least time or memory")
def get_leaderboard(
    slug: KnownSlug, viewer: ProblemReader, database: Stored, asked: Annotated[LeaderboardQuery, Query()]
) -> Leaderboard:
    with database.transaction() as session:
        return read_leaderboard(session, slug, viewer, asked.by, asked.limit)
