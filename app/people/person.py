"""A user as admins see them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from app.accounts.model import Role, User
from app.errors import NotFound

State = Literal["active", "suspended", "erased"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """`last_seen_at`: to the minute, with a browser or a token; None for never, or too long ago.

    `submissions` counts all of theirs, runs of samples too.
    """

    id: UUID
    username: str
    email: str | None
    role: Role
    state: State
    is_ranked: bool
    created_at: datetime
    erased_at: datetime | None
    last_seen_at: datetime | None
    submissions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Account(Person):
    """With how they sign in: a password, elsewhere (`providers` are issuers), and how many sessions and tokens work."""

    has_password: bool
    providers: tuple[str, ...]
    sessions: int
    tokens: int


class UserNotFound(NotFound):
    def __init__(self, user_id: UUID) -> None:
        super().__init__(f"there is no user {user_id}; GET /api/v1/users lists all of them")


def state_of(user: User) -> State:
    if user.erased_at is not None:
        return "erased"
    return "active" if user.is_active else "suspended"
