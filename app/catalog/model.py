"""Tables of problems, their immutable revisions, tracks, and the expected outputs from the reference."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID, uuid4

from sqlalchemy import CheckConstraint, Computed, ForeignKey, Index, Text, UniqueConstraint, func
from sqlalchemy.dialects.postgresql import TSVECTOR
from sqlalchemy.orm import Mapped, mapped_column

from app.database.engine import Base

# The manifest without its long values, so that lists of problems read little. In SQL, as PostgreSQL writes it.
LISTING = (
    "manifest - ARRAY['statement', 'starter', 'parameters', 'returns', 'cases', 'tolerance', 'checkers', 'limits', "
    "'requirements', 'hints', 'quiz']"
)
# A search splits words at these: `lax.scan` would be one word.
_SEPARATORS = "_-./@<>&+="
# The searchable part of a statement; PostgreSQL limits the size of a tsvector.
_CHARACTERS = 100_000
_WORDS = " || ' ' || ".join(f"coalesce(manifest ->> '{key}', '')" for key in ("tags", "frameworks", "entry_point"))
_TEXTS = {
    "A": "coalesce(manifest ->> 'title', '')",
    "B": _WORDS,
    "C": "coalesce(manifest ->> 'summary', '')",
    "D": f"left(coalesce(manifest ->> 'statement', ''), {_CHARACTERS})",
}
LANGUAGES = ("english", "simple")
# Each word is indexed as its stem (`gradient` for gradients) and as written, for prefixes.
SEARCH = " || ".join(
    f"setweight(to_tsvector('{language}', translate({text}, '{_SEPARATORS}', '{' ' * len(_SEPARATORS)}')), '{weight}')"
    for weight, text in _TEXTS.items()
    for language in LANGUAGES
)

Device = Literal["cpu", "gpu"]
Availability = Literal["draft", "unlisted", "listed", "course", "withdrawn"]


class Problem(Base):
    """A slug and its current revision, which new submissions get. It has none before the first publication.

    `availability` and `course_id`: see `app.catalog.access`.
    """

    __tablename__ = "problems"
    __table_args__ = (
        CheckConstraint("availability IN ('draft', 'unlisted', 'listed', 'course', 'withdrawn')", name="availability"),
        CheckConstraint(
            "CASE WHEN course_id IS NULL THEN availability <> 'course' "
            "ELSE availability IN ('draft', 'course', 'withdrawn') END",
            name="course",
        ),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    slug: Mapped[str] = mapped_column(unique=True)
    current_revision_id: Mapped[UUID | None] = mapped_column(ForeignKey("revisions.id", use_alter=True))
    availability: Mapped[Availability] = mapped_column(Text, default="listed", server_default="listed")
    course_id: Mapped[UUID | None] = mapped_column(ForeignKey("courses.id", use_alter=True), index=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Revision(Base):
    """One version of a package. Rows never change; `digest` identifies the content.

    `manifest` is the validated manifest, `files` maps paths to text, `secret_seed` draws the hidden inputs. The
    database derives `listing`, the manifest without its long values, and `search`, the words for searches. `samples` is
    a `SampleRecord` without its digest, for display and hints only.
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
    samples: Mapped[dict[str, Any] | None] = mapped_column(deferred=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    listing: Mapped[dict[str, Any]] = mapped_column(Computed(LISTING, persisted=True), deferred=True)
    search: Mapped[str] = mapped_column(TSVECTOR, Computed(SEARCH, persisted=True), deferred=True)


# Joins a problem to its current revision.
IS_CURRENT = Revision.id == Problem.current_revision_id


class Track(Base):
    """A track of `tracks.yaml`, at `position` in the list of tracks. Other tracks have no row."""

    __tablename__ = "tracks"

    slug: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int]
    title: Mapped[str]
    description: Mapped[str]


class SolveCount(Base):
    """The students who tried a problem and who solved it. `app.submissions.solved` counts every few minutes.

    `submissions` counts the judged submissions of all cases, and `accepted` those of them that were accepted.
    """

    __tablename__ = "solve_counts"

    problem_id: Mapped[UUID] = mapped_column(ForeignKey(Problem.id, ondelete="CASCADE"), primary_key=True)
    submissions: Mapped[int]
    students: Mapped[int]
    solved: Mapped[int]
    accepted: Mapped[int | None]
    counted_at: Mapped[datetime] = mapped_column(server_default=func.now())


class ExpectedOutput(Base):
    """One case of one variant: its encoded inputs, the reference's encoded answer, and previews of both.

    `evidence` describes the reference's program if the problem has requirements on programs.
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
    """The answers of a known wrong solution in one variant.

    `answers` is an encoded dict from case to answer, for the cases where the answer is far from right.
    """

    __tablename__ = "mistake_outputs"
    __table_args__ = (CheckConstraint("device IN ('cpu', 'gpu')", name="device"),)

    revision_id: Mapped[UUID] = mapped_column(ForeignKey(Revision.id), primary_key=True)
    variant: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    device: Mapped[Device] = mapped_column(Text, primary_key=True)
    mistake: Mapped[str] = mapped_column(primary_key=True)
    answers: Mapped[bytes]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
