"""Hints, revealed one at a time."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from app.api.dependency import Reader, Sender, Stored
from app.api.field import KnownSlug, whole
from app.learning.hint import Hints, list_hints, reveal_hint
from app.validation import Body

MAX_NUMBER = 1000

router = APIRouter(prefix="/problems/{slug}/hints", tags=["learning"])


class HintView(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    number: int = Field(description="from 1")
    text: str = Field(description="Markdown, with formulas in $…$")
    revealed_at: datetime


class HintsView(BaseModel):
    """`revealed` has the hints that you asked for, in order."""

    model_config = ConfigDict(from_attributes=True)

    total: int
    revealed: tuple[HintView, ...]


class WantedHint(Body):
    """The number of the hint to reveal: one more than you have revealed."""

    number: Annotated[int, Field(ge=1, le=MAX_NUMBER, examples=[1]), whole]


@router.get(
    "",
    operation_id="list_hints",
    summary="The hints that you have revealed, and how many there are",
)
def get_hints(slug: KnownSlug, viewer: Reader, database: Stored) -> HintsView:
    with database.transaction() as session:
        return _view(list_hints(session, viewer.id, slug))


@router.post("", operation_id="reveal_hint", summary="Reveal the next hint")
def post_hint(slug: KnownSlug, wanted: WantedHint, viewer: Sender, database: Stored) -> HintsView:
    """The number makes it safe to send the request again."""
    with database.transaction() as session:
        return _view(reveal_hint(session, viewer.id, slug, wanted.number))


def _view(hints: Hints) -> HintsView:
    return HintsView.model_validate(hints)
