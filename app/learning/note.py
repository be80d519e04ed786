"""A user's private note on a problem: plain text that only its writer sees.

Each save names the version that its window last saw. If another window or device has saved since, nothing is
overwritten: the save raises NoteChanged, which has the other text, and the user decides.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, func, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.accounts.model import User, serialise_requests
from app.catalog.model import Problem
from app.database.engine import Base, is_storable
from app.errors import Conflict, Invalid
from app.learning.lesson import get_lesson

MAX_CHARACTERS = 10_000


class Note(Base):
    """A user's note on a problem. An emptied note has no row."""

    __tablename__ = "notes"

    user_id: Mapped[UUID] = mapped_column(ForeignKey(User.id, ondelete="CASCADE"), primary_key=True)
    problem_id: Mapped[UUID] = mapped_column(ForeignKey(Problem.id, ondelete="CASCADE"), primary_key=True)
    text: Mapped[str]
    version: Mapped[UUID] = mapped_column(default=uuid4)
    saved_at: Mapped[datetime] = mapped_column(server_default=func.now())


class NoteChanged(Conflict):
    """Another window or device has saved the note since. `text` and `version` are the saved ones."""

    def __init__(self, note: Note) -> None:
        super().__init__("You changed this note elsewhere. Your text is not saved yet: compare both and choose.")
        self.text, self.version = note.text, note.version


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveNote:
    """A note to save; an empty text removes it. `base` is the version that the window last saw, or None."""

    user_id: UUID
    slug: str
    text: str
    base: UUID | None


def save_note(session: Session, wanted: SaveNote) -> Note | None:
    """Return the note, or None if it is empty now. Raises NotFound, Invalid and NoteChanged."""
    text = wanted.text.replace("\r\n", "\n")
    check_note(text)
    problem_id = get_lesson(session, wanted.slug, wanted.user_id).problem_id
    note = lock_note(session, wanted.user_id, problem_id)
    if note is None:
        return _add(session, Note(user_id=wanted.user_id, problem_id=problem_id, text=text)) if text else None
    if note.text != text:
        if note.version != wanted.base:
            raise NoteChanged(note)
        note.text, note.version, note.saved_at = text, uuid4(), func.now()
        session.flush()
    if text:
        return note
    session.delete(note)
    session.flush()
    return None


def find_note(session: Session, user_id: UUID, slug: str) -> Note | None:
    one = select(Note).join(Problem, Problem.id == Note.problem_id).where(Problem.slug == slug, Note.user_id == user_id)
    return session.scalars(one).one_or_none()


def lock_note(session: Session, user_id: UUID, problem_id: UUID) -> Note | None:
    """Return the note. No other transaction writes or adds it until this one ends."""
    serialise_requests(session, user_id)
    return session.get(Note, (user_id, problem_id), populate_existing=True)


def check_note(text: str) -> None:
    """Raises Invalid."""
    if len(text) > MAX_CHARACTERS:
        raise Invalid("text", f"The note has {len(text):,} characters; the limit is {MAX_CHARACTERS:,}. Shorten it.")
    if not is_storable(text):
        raise Invalid("text", "The note has a character that can't be stored. Remove it.")


def _add(session: Session, note: Note) -> Note:
    session.add(note)
    session.flush()
    session.refresh(note)
    return note
