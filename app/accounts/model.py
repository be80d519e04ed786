"""Tables of people: users, their browser sessions, their API tokens. Secrets are kept as hashes only."""

from datetime import datetime
from typing import Literal
from uuid import UUID, uuid4

from sqlalchemy import CheckConstraint, ForeignKey, Text, false, func, true
from sqlalchemy.orm import Mapped, mapped_column

from app.database import Base

Role = Literal["student", "author", "admin"]


class User(Base):
    """`is_ranked`: wants to be shown on leaderboards."""

    __tablename__ = "users"
    __table_args__ = (
        CheckConstraint("username ~ '^[a-z0-9_-]{3,32}$'", name="username"),
        CheckConstraint("role IN ('student', 'author', 'admin')", name="role"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    username: Mapped[str] = mapped_column(unique=True)
    email: Mapped[str | None]
    password_hash: Mapped[str]
    role: Mapped[Role] = mapped_column(Text, default="student")
    is_active: Mapped[bool] = mapped_column(default=True, server_default=true())
    is_ranked: Mapped[bool] = mapped_column(default=False, server_default=false())
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class UserSession(Base):
    """A browser that is signed in; `token_hash` is the SHA-256 of its cookie's secret."""

    __tablename__ = "sessions"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    user_id: Mapped[UUID] = mapped_column(ForeignKey(User.id, ondelete="CASCADE"), index=True)
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime]


class ApiToken(Base):
    """A bearer token; `token_hash` is the SHA-256 of what the user was shown once."""

    __tablename__ = "tokens"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    user_id: Mapped[UUID] = mapped_column(ForeignKey(User.id, ondelete="CASCADE"), index=True)
    name: Mapped[str]
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
