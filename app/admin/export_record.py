"""That somebody took a file of what others did: who, which of it, and whether with sources."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic_core import to_jsonable_python
from sqlalchemy.orm import Session

from app.accounts.user import find_user
from app.audit import Act, Actor, record

Exported = Literal["submissions.exported", "audit.exported"]
# Filters that are user names.
NAMES = ("user", "actor", "about")


def record_export(session: Session, actor: Actor, action: Exported, filters: Mapping[str, Any], **more: Any) -> None:
    """Users are written down by identifier, since they may be erased and what is written down may not."""
    chosen = {name: value for name, value in filters.items() if value is not None}
    for name in chosen.keys() & set(NAMES):
        user = find_user(session, chosen[name])
        chosen[name] = user.id if user else None
    after = to_jsonable_python({"filters": chosen, **more})
    record(session, actor, Act(action=action, target="some" if chosen else "all", after=after))
