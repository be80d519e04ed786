"""Backups as admins see them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from app.backup.work import State

BackupState = Literal["writing", "ready", "failed", "damaged"]


class Restoration(BaseModel):
    """What became of the last restore, if it was of this backup and no other was made since."""

    model_config = ConfigDict(frozen=True)

    state: State = Field(description="`failed`: nothing was changed; `notice` says why")
    step: str = Field(description="what it is about", examples=["filling a database beside"])
    started_at: datetime
    finished_at: datetime | None
    notice: str | None


class BackupView(BaseModel):
    """A backup that this deployment has made and kept."""

    model_config = ConfigDict(frozen=True)

    name: str
    state: BackupState = Field(
        description="`failed`: none was written; `damaged`: no whole backup any more; `notice` says why"
    )
    made_at: datetime
    bytes: int = Field(description="of the file; while it is written, so far")
    rows: Mapping[str, int] = Field(description="by table; empty until it is written")
    dump_sha256: str | None = Field(description="of `database.dump` in it, as `manifest.json` names it")
    allclose: str | None = Field(description="the version that wrote it")
    schema_revision: str | None
    is_restorable: bool = Field(description="whether this Allclose can put it in place")
    notice: str | None = Field(description="why it can't be restored, or was not written")
    restoration: Restoration | None

    @property
    def is_under_way(self) -> bool:
        """Whether it changes by itself."""
        return self.state == "writing" or (self.restoration is not None and self.restoration.state == "running")


class BackupList(BaseModel):
    model_config = ConfigDict(frozen=True)

    items: tuple[BackupView, ...] = Field(description="newest first")
    most: int = Field(description="so many are kept; then making another is refused")
    free_bytes: int = Field(description="on the disk where they lie")
