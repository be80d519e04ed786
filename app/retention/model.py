"""The table of when old things were removed, and how many."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Identity, func
from sqlalchemy.orm import Mapped, mapped_column

from app.database import Base


class RetentionRun(Base):
    """`removed` counts by kind; it grows while the run goes on, which ends at `finished_at`."""

    __tablename__ = "retention_runs"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    started_at: Mapped[datetime] = mapped_column(server_default=func.now(), index=True)
    finished_at: Mapped[datetime | None]
    removed: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default="{}")
