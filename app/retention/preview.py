"""What would go if old things were removed now, and what went the last time."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.policy.policy import read_policy
from app.retention.model import RetentionRun
from app.retention.rule import Rule, list_rules

# Beyond it, a number is only said to be larger.
MOST_COUNTED = 10_000


class View(BaseModel):
    model_config = ConfigDict(frozen=True)


class Due(View):
    """What would go."""

    name: str
    setting: str | None = Field(description="the setting that says so; null where it is always so")
    days: int
    count: int = Field(description=f"no more than {MOST_COUNTED} are counted")


class RunView(View):
    started_at: datetime
    finished_at: datetime | None = Field(description="null while it goes on, or where it broke off")
    removed: dict[str, Any] = Field(description="how many, by what they were")


class Retention(View):
    due: tuple[Due, ...]
    last_run: RunView | None


def count_due(session: Session, rule: Rule) -> Due:
    some = rule.chosen.limit(MOST_COUNTED).subquery()
    count = session.scalars(select(func.count()).select_from(some)).one()
    return Due(name=rule.name, setting=rule.setting, days=rule.days, count=count)


def read_retention(session: Session) -> Retention:
    last = session.scalars(select(RetentionRun).order_by(RetentionRun.id.desc()).limit(1)).one_or_none()
    return Retention(
        due=tuple(count_due(session, rule) for rule in list_rules(read_policy(session))),
        last_run=RunView(started_at=last.started_at, finished_at=last.finished_at, removed=last.removed)
        if last
        else None,
    )
