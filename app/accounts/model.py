"""Tables of users, identities, invitations, sessions and tokens, and the secrets of the last three.

A secret is shown once and stored as SHA-256 only. It has 256 random bits, so a plain hash can't be reversed. Passwords,
which people choose, get argon2 instead.
"""

import hashlib
import re
import secrets
from datetime import datetime
from typing import Literal
from uuid import UUID, uuid4

from sqlalchemy import (
    ARRAY,
    Boolean,
    CheckConstraint,
    ColumnElement,
    ForeignKey,
    Index,
    Text,
    Uuid,
    column,
    exists,
    false,
    func,
    select,
    table,
    text,
    true,
)
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.database.engine import Base

Role = Literal["student", "author", "admin"]

# The words of a user name and e-mail, for PostgreSQL's full-text search.
WORDS = "to_tsvector('simple', translate((username || ' ') || coalesce(email, ''), '@._-', '    '))"


class User(Base):
    """`is_ranked`: leaderboards may show the user. `is_active`: not suspended. `erased_at`: only this row is left.

    `password_hash` is None for a user with single sign-on only.
    """

    __tablename__ = "users"
    __table_args__ = (
        CheckConstraint("username ~ '^[a-z0-9_-]{3,32}$'", name="username"),
        CheckConstraint("role IN ('student', 'author', 'admin')", name="role"),
        Index("ix_users_created_at", text("created_at DESC"), "id"),
        Index("ix_users_email", text("lower(email)")),
        Index("ix_users_words", text(WORDS), postgresql_using="gin"),
        Index("ix_users_role_created_at", "role", text("created_at DESC"), "id"),
        Index("ix_users_away", text("created_at DESC"), "id", postgresql_where=text("NOT is_active")),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    username: Mapped[str] = mapped_column(unique=True)
    email: Mapped[str | None]
    password_hash: Mapped[str | None]
    role: Mapped[Role] = mapped_column(Text, default="student")
    is_active: Mapped[bool] = mapped_column(default=True, server_default=true())
    is_ranked: Mapped[bool] = mapped_column(default=False, server_default=false())
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    erased_at: Mapped[datetime | None]


def serialise_requests(session: Session, user_id: UUID) -> None:
    """Let one user's transactions wait for each other: for rows that do not exist yet, and limits that count rows."""
    session.execute(select(User.id).where(User.id == user_id).with_for_update(key_share=True))


# Of `app/courses`, which builds on accounts. Read with each user, since a statement of its own costs a millisecond.
_SITTINGS = table("sittings", column("user_id"), column("is_settled", Boolean))


def has_sitting() -> ColumnElement[bool]:
    """Return the condition that the user may be writing an exam."""
    return exists().where(_SITTINGS.c.user_id == User.id, ~_SITTINGS.c.is_settled)


class Identity(Base):
    """A user's identity at an OpenID Connect provider: `subject` never changes at that `issuer`."""

    __tablename__ = "identities"

    issuer: Mapped[str] = mapped_column(primary_key=True)
    subject: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey(User.id, ondelete="CASCADE"), index=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Invitation(Base):
    """A link with which one person may sign up, with a role. `token_hash` is the SHA-256 of its secret."""

    __tablename__ = "invitations"
    __table_args__ = (
        CheckConstraint("role IN ('student', 'author', 'admin')", name="role"),
        Index("ix_invitations_created_at", text("created_at DESC"), text("id DESC")),
        Index("ix_invitations_open", "expires_at", postgresql_where=text("used_at IS NULL AND revoked_at IS NULL")),
        Index("ix_invitations_ended", text("LEAST(used_at, revoked_at, expires_at)")),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    role: Mapped[Role] = mapped_column(Text)
    email: Mapped[str | None]
    note: Mapped[str] = mapped_column(default="", server_default="")
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey(User.id))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime]
    used_by: Mapped[UUID | None] = mapped_column(ForeignKey(User.id))
    used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class UserSession(Base):
    """A browser that is signed in. `token_hash` is the SHA-256 of its cookie's secret.

    Its owner recognises it by `address` and `browser`. `course_ids`: a learning platform signed its owner in, for these
    courses only. None: the owner signed in.
    """

    __tablename__ = "sessions"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    user_id: Mapped[UUID] = mapped_column(ForeignKey(User.id, ondelete="CASCADE"), index=True)
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime] = mapped_column(index=True)
    last_seen_at: Mapped[datetime | None]
    address: Mapped[str | None]
    browser: Mapped[str | None]
    course_ids: Mapped[list[UUID] | None] = mapped_column(ARRAY(Uuid))


class ApiToken(Base):
    """A bearer token. `token_hash` is the SHA-256 of the secret, which the user saw once.

    `scopes`: the token's permissions, among its owner's; None for all of them. See `permission.py`.
    """

    __tablename__ = "tokens"
    __table_args__ = (Index("ix_tokens_ended", text("LEAST(revoked_at, expires_at)")),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    user_id: Mapped[UUID] = mapped_column(ForeignKey(User.id, ondelete="CASCADE"), index=True)
    name: Mapped[str]
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    scopes: Mapped[list[str] | None] = mapped_column(ARRAY(Text))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


_RANDOM = re.compile(r"[\w-]{43}", re.ASCII)  # 256 bits in base64


def new_secret(prefix: str = "") -> str:
    return prefix + secrets.token_urlsafe(32)


def is_well_formed(secret: str, prefix: str = "") -> bool:
    """Whether `new_secret` can have made it. Any other text is unknown without asking the database."""
    return secret.startswith(prefix) and _RANDOM.fullmatch(secret, len(prefix)) is not None


def digest(secret: str) -> bytes:
    # A header or cookie can contain text that UTF-8 can't express. Such a secret is unknown.
    return hashlib.sha256(secret.encode(errors="replace")).digest()
