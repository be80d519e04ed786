"""Settings that admins change while Allclose runs. They hold from the next request on, in every process."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.policy.model import PolicyRow

SignUpMode = Literal["open", "invitation", "closed"]


class Policy(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    sign_up: SignUpMode = Field(
        "open", description="who may make an account: anybody, those with an invitation, nobody"
    )
    max_pending: int = Field(20, ge=1, le=10_000, description="unfinished submissions that one user may have")
    requests_per_minute: int = Field(600, ge=1, le=100_000, description="requests that one user or address may make")
    judging_seconds_per_hour: int = Field(
        3600, ge=1, le=1_000_000, description="seconds of judging that one user may use in an hour"
    )
    keep_submissions_days: int | None = Field(
        None, ge=1, le=36_500, description="submissions older than this are removed; null: kept for ever"
    )
    announcement: str = Field("", max_length=500, description="a sentence at the top of every page; empty: none")


def read_policy(session: Session) -> Policy:
    rows = session.execute(select(PolicyRow.name, PolicyRow.value)).all()
    known = {name: value for name, value in rows if name in Policy.model_fields}
    return Policy.model_validate(known)
