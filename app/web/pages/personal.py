"""A user's bookmarks and private notes: plain forms on a problem's page and in lists, and JSON for their scripts."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Form, HTTPException, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field, field_validator
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.catalog.query import get_problem
from app.errors import Invalid
from app.learning.bookmark import add_bookmark, remove_bookmark
from app.learning.note import NoteChanged, SaveNote, save_note
from app.validation import Body
from app.web.address import Slug
from app.web.render import HEADERS
from app.web.visit import CurrentVisit, Visit, local_path, require_own_origin, see_other

router = APIRouter(prefix="/problems/{slug}", dependencies=[Depends(require_own_origin)])


class BookmarkForm(BaseModel):
    """`next` is the page with the button."""

    bookmarked: bool
    next: str = ""


class BookmarkChange(Body):
    bookmarked: bool


class NoteForm(BaseModel):
    """`base` is the version that the page showed, or empty."""

    text: str = ""
    base: UUID | None = None

    @field_validator("base", mode="before")
    @classmethod
    def _without_a_version(cls, given: object) -> object:
        return given or None


class NoteChange(Body):
    text: str
    base: UUID | None = Field(None)


@router.post("/bookmark")
def send_bookmark(visit: CurrentVisit, slug: Slug, form: Annotated[BookmarkForm, Form()]) -> Response:
    if visit.user is None:
        return visit.ask_to_sign_in(f"/problems/{slug}")
    with visit.transaction() as session:
        _bookmark(session, visit.user, slug, form.bookmarked)
    return see_other(local_path(form.next or f"/problems/{slug}"))


@router.put("/bookmark")
def put_bookmark(visit: CurrentVisit, slug: Slug, change: BookmarkChange) -> Response:
    user = _require_user(visit)
    with visit.transaction() as session:
        _bookmark(session, user, slug, change.bookmarked)
    return Response(status_code=HTTPStatus.NO_CONTENT, headers=HEADERS)


@router.post("/note")
def send_note(visit: CurrentVisit, slug: Slug, form: Annotated[NoteForm, Form()]) -> Response:
    """Save the note. If it can't be saved, the page shows the typed text, and the other one if there is one."""
    if visit.user is None:
        return visit.ask_to_sign_in(f"/problems/{slug}%23note")
    wanted = SaveNote(user_id=visit.user.id, slug=slug, text=form.text, base=form.base)
    try:
        with visit.transaction() as session:
            save_note(session, wanted)
    except (NoteChanged, Invalid) as fault:
        return _refused(visit, slug, form, fault)
    return see_other(f"/problems/{slug}#note")


@router.put("/note")
def put_note(visit: CurrentVisit, slug: Slug, change: NoteChange) -> Response:
    """Return the version, which is null without a note; for a conflict, the text and version that are saved."""
    user = _require_user(visit)
    try:
        with visit.transaction() as session:
            note = save_note(session, SaveNote(user_id=user.id, slug=slug, text=change.text, base=change.base))
            version = str(note.version) if note else None
    except NoteChanged as fault:
        other = {"version": str(fault.version), "text": fault.text}
        return JSONResponse(other, HTTPStatus.CONFLICT, headers=HEADERS)
    return JSONResponse({"version": version}, headers=HEADERS)


def _bookmark(session: Session, user: User, slug: str, is_wanted: bool) -> None:
    if is_wanted:
        add_bookmark(session, user.id, slug)
    else:
        remove_bookmark(session, user.id, slug)


def _refused(visit: Visit, slug: str, form: NoteForm, fault: NoteChanged | Invalid) -> Response:
    with visit.transaction() as session:
        problem = get_problem(session, slug, visit.viewer.id if visit.viewer else None)
    typed = {"problem": problem, "typed": form.text.replace("\r\n", "\n"), "refusal": str(fault)}
    if isinstance(fault, NoteChanged):
        return visit.render("note.html", typed | {"base": fault.version, "other": fault.text}, HTTPStatus.CONFLICT)
    return visit.render("note.html", typed | {"base": form.base, "other": None}, HTTPStatus.UNPROCESSABLE_ENTITY)


def _require_user(visit: Visit) -> User:
    if visit.user is None:
        raise HTTPException(HTTPStatus.UNAUTHORIZED, "Sign in again. Until then, only your browser keeps your text.")
    return visit.user
