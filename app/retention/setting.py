"""Changing settings where that may remove things for good: only by who was told how many, and says so."""

from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy.orm import Session

from app.audit.record import Actor
from app.errors import Conflict
from app.policy.change import change_policy, lock_policy, reset_setting
from app.policy.policy import Policy, read_policy
from app.retention.preview import MOST_COUNTED, Due, count_due
from app.retention.rule import list_rules


class RemovalUnconfirmed(Conflict):
    """What would go for good, soon after the change is saved. Nothing is saved."""

    def __init__(self, going: tuple[Due, ...]) -> None:
        named = "; ".join(f"{due.setting} = {due.days} would remove {_counted(due)}" for due in going)
        self.going, self.warning = going, f"{named}, for good and within the hour"
        super().__init__(f"{self.warning}; nothing is saved: send confirm_removal=true with it if they may go")


def change_settings(
    session: Session, actor: Actor, changes: Mapping[str, Any], *, is_confirmed: bool = False
) -> Policy:
    """As `change_policy`. Raises RemovalUnconfirmed where something is kept shorter, is old enough to go, and
    nobody has confirmed it."""
    return _knowingly(session, lambda: change_policy(session, actor, changes), is_confirmed=is_confirmed)


def put_back(session: Session, actor: Actor, name: str, *, is_confirmed: bool = False) -> Policy:
    """As `reset_setting`, and as `change_settings`."""
    return _knowingly(session, lambda: reset_setting(session, actor, name), is_confirmed=is_confirmed)


def _knowingly(session: Session, change: Callable[[], Policy], *, is_confirmed: bool) -> Policy:
    lock_policy(session)
    before = read_policy(session)
    after = change()
    going = () if is_confirmed else _list_going(session, before, after)
    if going:
        raise RemovalUnconfirmed(going)
    return after


def _list_going(session: Session, before: Policy, after: Policy) -> tuple[Due, ...]:
    """By the settings that keep something shorter than they did: what is old enough now."""
    due = (count_due(session, rule) for rule in list_rules(after) if _is_shorter(before, after, rule.setting))
    return tuple(one for one in due if one.count)


def _is_shorter(before: Policy, after: Policy, setting: str | None) -> bool:
    if setting is None:
        return False
    old, new = getattr(before, setting), getattr(after, setting)
    return new is not None and (old is None or new < old)


def _counted(due: Due) -> str:
    return f"{due.count}{' or more' if due.count == MOST_COUNTED else ''} {due.name}"
