"""The user's draft as JSON, for the editor's script on our own pages."""

from uuid import UUID

from fastapi import APIRouter, Depends, HTTPException, Response
from fastapi.responses import JSONResponse

from app.accounts.model import User
from app.submissions.draft import Save, discard_other, find_draft, save_draft
from app.validation import Body
from app.web.address import Slug
from app.web.render import HEADERS
from app.web.visit import CurrentVisit, Visit, require_own_origin

router = APIRouter(prefix="/problems/{slug}/draft")


class DraftText(Body):
    """A draft. `base` is the version that the editor last saw, or empty."""

    source: str
    base: UUID | None = None


@router.put("", dependencies=[Depends(require_own_origin)])
def save(visit: CurrentVisit, slug: Slug, written: DraftText) -> Response:
    user = _user(visit)
    with visit.transaction() as session:
        draft = save_draft(session, Save(user_id=user.id, slug=slug, source=written.source, base=written.base))
    answer = {"version": str(draft.version), "has_other": draft.other_source is not None}
    return JSONResponse(answer, headers=HEADERS)


@router.get("/other")
def read_other(visit: CurrentVisit, slug: Slug) -> Response:
    """Return the text of the other draft, or null."""
    user = _user(visit)
    with visit.transaction() as session:
        draft = find_draft(session, user.id, slug)
    return JSONResponse({"source": draft.other_source if draft else None}, headers=HEADERS)


@router.delete("/other", dependencies=[Depends(require_own_origin)])
def give_up(visit: CurrentVisit, slug: Slug) -> Response:
    user = _user(visit)
    with visit.transaction() as session:
        discard_other(session, user.id, slug)
    return Response(status_code=204, headers=HEADERS)


def _user(visit: Visit) -> User:
    if visit.user is None:
        raise HTTPException(401, "sign in again; until then your draft is saved in this browser")
    return visit.user
