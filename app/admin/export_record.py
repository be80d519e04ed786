"""Audit events of exports: who exported other users' data, with which filters, and with or without sources."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic_core import to_jsonable_python
from sqlalchemy.orm import Session

from app.accounts.user import find_user
from app.audit import Act, Actor, record

Exported = Literal["submissions.exported", "audit.exported"]
# Filters whose values are user names.
NAMES = ("user", "actor", "about")


def record_export(session: Session, actor: Actor, action: Exported, filters: Mapping[str, Any], **more: Any) -> None:
    """Record an export. Users in filters become IDs, since users may be erased and the audit log may not."""
    chosen = {name: value for name, value in filters.items() if value is not None}
    for name in chosen.keys() & set(NAMES):
        user = find_user(session, chosen[name])
        chosen[name] = user.id if user else None
    after = to_jsonable_python({"filters": chosen, **more})
    record(session, actor, Act(action=action, target="some" if chosen else "all", after=after))
