"""The table of settings that admins change while Allclose runs; what has no row has its default."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, LargeBinary, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.database import Base


class PolicyRow(Base):
    """A field of `Policy` that differs from its default."""

    __tablename__ = "policy"

    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[Any] = mapped_column(JSONB)
    changed_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    changed_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())


class ServerKey(Base):
    """A key that this deployment signs with, made when it is first needed; see `app.policy.key`."""

    __tablename__ = "server_keys"

    name: Mapped[str] = mapped_column(primary_key=True)
    key: Mapped[bytes] = mapped_column(LargeBinary)
