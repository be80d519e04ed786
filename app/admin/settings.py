"""Settings as admins see them: description, bounds, default, and who changed the value when.

A change that makes retention delete rows for good needs a confirmation: the error counts the rows first.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, get_args

from pydantic import Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.admin.retention import MOST_COUNTED, Due, count_due, list_rules
from app.audit import Actor
from app.errors import AllcloseError, Conflict, Invalid
from app.policy import (
    MAX_SHOWN,
    Policy,
    PolicyRow,
    SettingNotFound,
    change_policy,
    check_policy,
    lock_policy,
    read_policy,
    reset_setting,
)
from app.validation import FrozenModel

Value = str | int | None


class Setting(FrozenModel):
    """`minimum` and `maximum` are for numbers, `max_length` for texts. `may_be_empty`: null is allowed."""

    name: str
    description: str
    value: Value
    default: Value
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    max_length: int | None = None
    may_be_empty: bool = False
    changed_by: str | None = Field(None, description="a user name; null for a default and for a command")
    changed_at: datetime | None = Field(None, description="null for a default")

    @property
    def is_number(self) -> bool:
        return self.minimum is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    value: Value
    by: str | None
    at: datetime


def list_settings(session: Session) -> tuple[Setting, ...]:
    """Return all settings in the policy's order."""
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
    """Return the field's JSON Schema, without null."""
    schema: dict[str, Any] = Policy.model_json_schema()["properties"][name]
    return next((kind for kind in schema.get("anyOf", ()) if kind["type"] != "null"), schema)


def read_value(name: str, text: str) -> Value:
    """Convert a form's text to the setting's type. Raises SettingNotFound and Invalid."""
    if name not in Policy.model_fields:
        raise SettingNotFound(name)
    setting = _setting(name, None)
    typed = text.strip()
    if not setting.is_number:
        return typed
    if not typed and setting.may_be_empty:
        return None
    least, most = setting.minimum or 0, setting.maximum or 0
    number = _read_number(typed)
    if number is None or not least <= number <= most:
        bounds = f"from {least:,} to {most:,}"
        raise Invalid(name, f"{name} is {typed[:MAX_SHOWN]!r}: it should be a whole number {bounds}.")
    return number


def _read_number(text: str) -> int | None:
    try:
        return int(_without_commas(text))
    except ValueError:
        return None


def _without_commas(text: str) -> str:
    """Remove the commas of a number such as `3,600`, and change no other text."""
    return text.replace(",", "") if re.fullmatch(r"[1-9][0-9]{0,2}(,[0-9]{3})+", text) else text


def as_text(value: Value) -> str:
    """Return the value as a form shows it."""
    return f"{value:,}" if isinstance(value, int) else value or ""


class SettingsRefused(AllcloseError):
    """Nothing is saved. `errors` has a sentence for each wrong field. `is_outdated`: another admin changed one."""

    def __init__(self, errors: Mapping[str, str], *, is_outdated: bool = False) -> None:
        self.errors, self.is_outdated = errors, is_outdated
        super().__init__(" ".join(errors.values()))


def save_typed(
    session: Session, actor: Actor, typed: Mapping[str, str], seen: Mapping[str, str], *, is_confirmed: bool = False
) -> tuple[str, ...]:
    """Save the typed texts that differ from those `seen`, all or none. Return the names of the changed settings.

    A default removes the setting's row. Raises SettingsRefused and RemovalUnconfirmed.
    """
    lock_policy(session)
    settings = {setting.name: setting for setting in list_settings(session)}
    changed = {name: text for name, text in typed.items() if not _is_same(settings[name], text, seen.get(name, ""))}
    wrong = {name: fault for name, text in changed.items() if (fault := _find_fault(session, name, text))}
    if wrong:
        raise SettingsRefused(wrong)
    outdated = {
        name: _say_outdated(settings[name], seen[name])
        for name, text in changed.items()
        if name in seen
        and not any(_is_same(settings[name], as_text(settings[name].value), known) for known in (seen[name], text))
    }
    if outdated:
        raise SettingsRefused(outdated, is_outdated=True)
    values = {name: read_value(name, text) for name, text in changed.items()}
    _knowingly(session, lambda: _apply(session, actor, settings, values), is_confirmed=is_confirmed)
    return tuple(values)


def _is_same(setting: Setting, one: str, other: str) -> bool:
    """Whether both texts of a form stand for one value: `3600` and `3,600` do."""
    clean = _without_commas if setting.is_number else str
    return clean(one.strip()) == clean(other.strip())


def _apply(session: Session, actor: Actor, settings: Mapping[str, Setting], values: Mapping[str, Value]) -> Policy:
    for name in (name for name, value in values.items() if value == settings[name].default):
        reset_setting(session, actor, name)
    return change_policy(session, actor, values)


def _find_fault(session: Session, name: str, text: str) -> str:
    """Return what is wrong with the text alone, or an empty text."""
    try:
        check_policy(session, {name: read_value(name, text)})
    except Invalid as fault:
        return str(fault)
    return ""


def _say_outdated(setting: Setting, seen: str) -> str:
    by, now = setting.changed_by or "a command", as_text(setting.value) or "empty"
    return f"It was {seen or 'empty'} when you looked, and {by} has made it {now} since. Choose again."


class RemovalUnconfirmed(Conflict):
    """The change would delete rows for good. Nothing is saved."""

    def __init__(self, going: tuple[Due, ...]) -> None:
        named = "; ".join(f"{due.setting} = {due.days} would remove {_counted(due)}" for due in going)
        self.going, self.warning = going, f"{named}, for good and within 1 hour"
        super().__init__(f"{self.warning}. Nothing was saved. To delete them, send confirm_removal=true.")


def change_settings(
    session: Session, actor: Actor, changes: Mapping[str, Any], *, is_confirmed: bool = False
) -> Policy:
    """Change settings as `change_policy` does. Raises RemovalUnconfirmed if a shorter retention would delete rows."""
    return _knowingly(session, lambda: change_policy(session, actor, changes), is_confirmed=is_confirmed)


def put_back(session: Session, actor: Actor, name: str, *, is_confirmed: bool = False) -> Policy:
    """Reset a setting. Raises as `reset_setting` and `change_settings` do."""
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
    """Count the rows that the shortened settings would delete."""
    due = (count_due(session, rule) for rule in list_rules(after) if _is_shorter(before, after, rule.setting))
    return tuple(one for one in due if one.count)


def _is_shorter(before: Policy, after: Policy, setting: str | None) -> bool:
    if setting is None:
        return False
    old, new = getattr(before, setting), getattr(after, setting)
    return new is not None and (old is None or new < old)


def _counted(due: Due) -> str:
    return f"{due.count}{' or more' if due.count == MOST_COUNTED else ''} {due.name}"
