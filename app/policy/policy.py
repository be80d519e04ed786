"""Settings that admins change while Allclose runs. They hold within seconds, in every process."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.database import is_storable
from app.policy.model import PolicyRow

# Lower, and an admin who opens a page or two can't open and save the one that raises it.
LEAST_REQUESTS = 60

SignUpMode = Literal["open", "invitation", "closed"]


class Policy(BaseModel):
    """A field's default is what holds where nobody has changed it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sign_up: SignUpMode = Field(
        "open", description="who may make an account: anybody, those with an invitation, nobody"
    )
    max_pending: int = Field(20, ge=1, le=10_000, description="unfinished submissions that one user may have")
    requests_per_minute: int = Field(
        600, ge=LEAST_REQUESTS, le=1_000_000, description="requests that one user or address may make"
    )
    judging_seconds_per_hour: int = Field(
        3600, ge=1, le=1_000_000, description="seconds of judging that one user may use in an hour"
    )
    keep_submissions_days: int | None = Field(
        None,
        ge=1,
        le=36_500,
        description="submissions older than this are removed, but for the first and the last accepted one of each user "
        "and problem; empty: kept for ever",
    )
    keep_verifications_days: int | None = Field(
        None,
        ge=1,
        le=36_500,
        description="packages that authors sent to be verified are removed after this, with their reports, but for "
        "those that a revision was published by; empty: kept for ever",
    )
    keep_ended_days: int | None = Field(
        90,
        ge=1,
        le=36_500,
        description="sessions, tokens and invitations are removed so long after their end; empty: kept for ever",
    )
    announcement: str = Field("", max_length=500, description="a sentence at the top of every page; empty: none")

    @field_validator("announcement")
    @classmethod
    def _one_line(cls, text: str) -> str:
        if not is_storable(text):
            raise ValueError("it holds a character that can't be stored; leave it out")
        return " ".join(text.split())


def read_policy(session: Session) -> Policy:
    """What is stored was checked when it was: a bound that has moved since is for the next change, and stops nobody."""
    rows = session.execute(select(PolicyRow.name, PolicyRow.value)).all()
    known = {name: value for name, value in rows if name in Policy.model_fields}
    return Policy.model_construct(**known)
