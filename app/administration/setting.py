"""The settings of run time as admins see them: what each is for, its bounds, its default, and who changed it when."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.errors import Invalid
from app.policy.change import MAX_SHOWN, SettingNotFound
from app.policy.model import PolicyRow
from app.policy.policy import Policy

Value = str | int | None


class Setting(BaseModel):
    """`minimum` and `maximum` are of numbers, `max_length` of texts. `may_be_empty`: null is a value, too."""

    model_config = ConfigDict(frozen=True)

    name: str
    description: str
    value: Value
    default: Value
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    max_length: int | None = None
    may_be_empty: bool = False
    changed_by: str | None = Field(None, description="a user name; null for a default, and for a command")
    changed_at: datetime | None = Field(None, description="null for what is still at its default")

    @property
    def is_number(self) -> bool:
        return self.minimum is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    value: Value
    by: str | None
    at: datetime


def list_settings(session: Session) -> tuple[Setting, ...]:
    """In the order of the policy."""
    rows = session.execute(
        select(PolicyRow.name, PolicyRow.value, User.username, PolicyRow.changed_at).outerjoin(
            User, User.id == PolicyRow.changed_by
        )
    )
    changes = {name: _Change(value=value, by=by, at=at) for name, value, by, at in rows}
    return tuple(_setting(name, changes.get(name)) for name in Policy.model_fields)


def _setting(name: str, change: _Change | None) -> Setting:
    field = Policy.model_fields[name]
    known = _schema(name)
    shown = Setting(
        name=name,
        description=field.description or "",
        value=field.default,
        default=field.default,
        choices=get_args(field.annotation) if "enum" in known else (),
        minimum=known.get("minimum"),
        maximum=known.get("maximum"),
        max_length=known.get("maxLength"),
        may_be_empty=type(None) in get_args(field.annotation),
    )
    if change is None:
        return shown
    return shown.model_copy(update={"value": change.value, "changed_by": change.by, "changed_at": change.at})


def _schema(name: str) -> dict[str, Any]:
    """What JSON Schema says of the field, or of what it is when it is not null."""
    schema: dict[str, Any] = Policy.model_json_schema()["properties"][name]
    return next((kind for kind in schema.get("anyOf", ()) if kind["type"] != "null"), schema)


def read_value(name: str, text: str) -> Value:
    """What somebody typed into a field, as the policy takes it. Raises NotFound, Invalid."""
    if name not in Policy.model_fields:
        raise SettingNotFound(name)
    setting = _setting(name, None)
    typed = text.strip()
    if not setting.is_number:
        return typed
    if not typed and setting.may_be_empty:
        return None
    try:
        return int(typed)
    except ValueError:
        bounds = f"from {setting.minimum} to {setting.maximum}"
        raise Invalid(name, f"{name} is {typed[:MAX_SHOWN]!r}: it should be a whole number {bounds}") from None
