"""Tables of problems, their immutable revisions, and the expected outputs that the reference gave.

What the database derives from a revision's manifest, for lists and for searches. In SQL, as PostgreSQL writes it.
"""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID, uuid4

from sqlalchemy import CheckConstraint, Computed, ForeignKey, Index, Text, UniqueConstraint, func
from sqlalchemy.dialects.postgresql import TSVECTOR
from sqlalchemy.orm import Mapped, mapped_column

from app.database.engine import Base

# Without what is long, so that a list of many problems reads little.
LISTING = (
    "manifest - ARRAY['statement', 'starter', 'parameters', 'returns', 'cases', 'tolerance', 'checkers', 'limits', "
    "'requirements', 'hints', 'quiz']"
)
# `lax.scan` and `grad_step` would be one word each.
_SEPARATORS = "_-./@<>&+="
# Of a statement; PostgreSQL bounds what a tsvector holds.
_CHARACTERS = 100_000
_WORDS = " || ' ' || ".join(f"coalesce(manifest ->> '{key}', '')" for key in ("tags", "frameworks", "entry_point"))
_TEXTS = {
    "A": "coalesce(manifest ->> 'title', '')",
    "B": _WORDS,
    "C": "coalesce(manifest ->> 'summary', '')",
    "D": f"left(coalesce(manifest ->> 'statement', ''), {_CHARACTERS})",
}
LANGUAGES = ("english", "simple")
# Both the stem of each word (gradients: gradient) and the word as it is, which a prefix finds too.
SEARCH = " || ".join(
    f"setweight(to_tsvector('{language}', translate({text}, '{_SEPARATORS}', '{' ' * len(_SEPARATORS)}')), '{weight}')"
    for weight, text in _TEXTS.items()
    for language in LANGUAGES
)

Device = Literal["cpu", "gpu"]


class Problem(Base):
    """A slug and the revision that new submissions get; none while nothing is published."""

    __tablename__ = "problems"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    slug: Mapped[str] = mapped_column(unique=True)
    current_revision_id: Mapped[UUID | None] = mapped_column(ForeignKey("revisions.id", use_alter=True))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Revision(Base):
    """One version of a package. Rows never change; `digest` names the content.

    `manifest` is the validated manifest, `files` maps paths to text, `secret_seed` draws the hidden inputs.
    `listing` is the manifest without what is long, `search` the words that a search finds it by.
    """

    __tablename__ = "revisions"
    __table_args__ = (
        UniqueConstraint("problem_id", "digest"),
        UniqueConstraint("problem_id", "number", name="uq_revisions_problem_id_number"),
        Index("ix_revisions_search", "search", postgresql_using="gin"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    problem_id: Mapped[UUID] = mapped_column(ForeignKey(Problem.id))
    number: Mapped[int]
    digest: Mapped[str]
    manifest: Mapped[dict[str, Any]]
    files: Mapped[dict[str, Any]]
    secret_seed: Mapped[bytes]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    listing: Mapped[dict[str, Any]] = mapped_column(Computed(LISTING, persisted=True), deferred=True)
    search: Mapped[str] = mapped_column(TSVECTOR, Computed(SEARCH, persisted=True), deferred=True)


# Of a problem and one of its revisions.
IS_CURRENT = Revision.id == Problem.current_revision_id


class Track(Base):
    """What the server's folder says of a track; `position` is its place among them. Not every track has a row."""

    __tablename__ = "tracks"

    slug: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int]
    title: Mapped[str]
    description: Mapped[str]


class ExpectedOutput(Base):
    """One case of one variant: its inputs and the reference's answer, both encoded, and what people are shown.

    `evidence`: what the reference's program does, where the problem has requirements on programs.
    """

    __tablename__ = "expected_outputs"
    __table_args__ = (
        CheckConstraint("device IN ('cpu', 'gpu')", name="device"),
        UniqueConstraint("revision_id", "variant", "device", "case_name"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    revision_id: Mapped[UUID] = mapped_column(ForeignKey(Revision.id))
    variant: Mapped[int]
    device: Mapped[Device] = mapped_column(Text)
    case_name: Mapped[str]
    inputs: Mapped[bytes]
    expected: Mapped[bytes]
    inputs_preview: Mapped[dict[str, Any]]
    expected_preview: Mapped[dict[str, Any]]
    evidence: Mapped[dict[str, Any] | None]
    image: Mapped[str]
    versions: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class MistakeOutput(Base):
    """What a known wrong solution answers in one variant.

    `answers`: an encoded dict by case, of the cases where it is far from right; empty when there are none.
    """

    __tablename__ = "mistake_outputs"
    __table_args__ = (CheckConstraint("device IN ('cpu', 'gpu')", name="device"),)

    revision_id: Mapped[UUID] = mapped_column(ForeignKey(Revision.id), primary_key=True)
    variant: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    device: Mapped[Device] = mapped_column(Text, primary_key=True)
    mistake: Mapped[str] = mapped_column(primary_key=True)
    answers: Mapped[bytes]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
