"""Your private note on a problem."""

from datetime import datetime

from fastapi import APIRouter
from pydantic import BaseModel, Field

from app.api.dependency import Reader, Sender, Stored
from app.api.etag import IfMatch, require_match
from app.api.field import KnownSlug
from app.learning.lesson import get_lesson
from app.learning.note import MAX_CHARACTERS, Note, SaveNote, find_note, lock_note, save_note
from app.validation import Body

router = APIRouter(prefix="/problems/{slug}/note", tags=["learning"])


class NoteView(BaseModel):
    text: str = Field(description="plain text; empty without a note")
    saved_at: datetime | None = Field(description="null without a note")


class NewNote(Body):
    text: str = Field(
        description="plain text; an empty one removes the note", max_length=MAX_CHARACTERS, examples=["Mind the axis."]
    )


@router.get("", operation_id="get_note", summary="Your private note on a problem")
def get_note_view(slug: KnownSlug, viewer: Reader, database: Stored) -> NoteView:
    with database.transaction() as session:
        get_lesson(session, slug, viewer.id)
        return _view(find_note(session, viewer.id, slug))


@router.put(
    "",
    operation_id="change_note",
    summary="Write or remove your private note on a problem",
)
def put_note(slug: KnownSlug, viewer: Sender, database: Stored, wanted: NewNote, if_match: IfMatch = None) -> NoteView:
    """Only you can read it. Send `If-Match`, so that you never overwrite what you typed elsewhere."""
    with database.transaction() as session:
        note = lock_note(session, viewer.id, get_lesson(session, slug, viewer.id).problem_id)
        require_match(if_match, _view(note))
        base = note.version if note else None
        return _view(save_note(session, SaveNote(user_id=viewer.id, slug=slug, text=wanted.text, base=base)))


def _view(note: Note | None) -> NoteView:
    return NoteView(text=note.text, saved_at=note.saved_at) if note else NoteView(text="", saved_at=None)
