"""Changing settings, one by one: checked, stored, and written down with what was before."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from sqlalchemy import delete
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.audit.record import Act, Actor, record
from app.errors import Invalid, NotFound
from app.policy.model import PolicyRow
from app.policy.policy import Policy, read_policy
from app.wrong_value import list_wrong

# Changes to one setting at once come one after the other, so that each finds what is really before it.
_LOCK = "LOCK TABLE policy IN SHARE ROW EXCLUSIVE MODE"
MAX_SHOWN = 60


class SettingNotFound(NotFound):
    def __init__(self, name: str) -> None:
        super().__init__(f"there is no setting {name[:MAX_SHOWN]!r}; there are {', '.join(Policy.model_fields)}")


def change_policy(session: Session, actor: Actor, changes: Mapping[str, Any]) -> Policy:
    """All of the changes or none; what is so already is no change. Raises Invalid: field, value and limit."""
    lock_policy(session)
    before = read_policy(session)
    after = _validated(before.model_dump() | dict(changes))
    for name in changes:
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            _store(session, actor, name, new)
            _record(session, actor, name, old, new)
    return after


def reset_setting(session: Session, actor: Actor, name: str) -> Policy:
    """Back to its default. Raises NotFound."""
    if name not in Policy.model_fields:
        raise SettingNotFound(name)
    lock_policy(session)
    before = read_policy(session)
    session.execute(delete(PolicyRow).where(PolicyRow.name == name))
    after = read_policy(session)
    if getattr(before, name) != getattr(after, name):
        _record(session, actor, name, getattr(before, name), getattr(after, name))
    return after


def lock_policy(session: Session) -> None:
    session.connection().exec_driver_sql(_LOCK)


def _store(session: Session, actor: Actor, name: str, value: Any) -> None:
    row = {"name": name, "value": value, "changed_by": actor.user_id}
    put = insert(PolicyRow).values(row)
    news = {"value": put.excluded.value, "changed_by": put.excluded.changed_by, "changed_at": put.excluded.changed_at}
    session.execute(put.on_conflict_do_update(index_elements=["name"], set_=news))


def _record(session: Session, actor: Actor, name: str, old: Any, new: Any) -> None:
    record(session, actor, Act(action="setting.changed", target=name, before={name: old}, after={name: new}))


def _validated(values: Mapping[str, Any]) -> Policy:
    try:
        return Policy.model_validate(values)
    except ValidationError as error:
        wrong = list_wrong(error)[0]
        raise Invalid(wrong.field or "settings", wrong.sentence()) from None
