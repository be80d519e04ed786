"""Hints on a problem's page, as plain forms and as a fragment for scripts.

Their buttons belong to the editor's form. So without scripts, the code is sent along and kept.
"""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Form, Response
from pydantic import BaseModel
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.permission import Viewer
from app.api.request_state import get_policy
from app.catalog.query import get_problem
from app.courses.due import describe_hints_closed, find_hint_lock, find_lock
from app.learning.lesson import reveal_hint
from app.learning.progress import Learning, read_learning
from app.submissions.draft import Save, find_draft, save_draft
from app.web.address import Slug
from app.web.render import HEADERS, render_text
from app.web.visit import CurrentVisit, require_own_origin, see_other

router = APIRouter(prefix="/problems/{slug}")


class EditorForm(BaseModel):
    """The editor's code and the draft version that the page showed. Both are empty if a script sent the form."""

    source: str = ""
    base: UUID | None = None


class HintForm(EditorForm):
    number: int


@router.get("/learning")
def show_learning(visit: CurrentVisit, slug: Slug) -> Response:
    with visit.transaction() as session:
        problem = get_problem(session, slug, visit.viewer.id if visit.viewer else None)
        learning = find_learning(session, visit.viewer, slug)
        closing = find_hint_lock(session, visit.viewer.id, learning.problem_id) if visit.viewer and learning else None
        lock = find_lock(session, visit.viewer.id, learning.problem_id) if visit.viewer and learning else None
    shared = get_policy(visit.request).read().shared_solutions
    context: dict[str, Any] = {"problem": problem, "user": visit.user, "learning": learning, "shared_solutions": shared}
    context["is_locked"] = lock is not None
    context["no_hints"] = describe_hints_closed(closing) if closing else None
    return Response(render_text("fragments/learning.html", context), media_type="text/html", headers=HEADERS)


@router.post("/hints", dependencies=[Depends(require_own_origin)])
def send_hint(visit: CurrentVisit, slug: Slug, form: Annotated[HintForm, Form()]) -> Response:
    if visit.user is None:
        return visit.ask_to_sign_in(f"/problems/{slug}%23hints")
    with visit.transaction() as session:
        _keep(session, visit.user, slug, form)
        reveal_hint(session, visit.user.id, slug, form.number)
    return see_other(f"/problems/{slug}#hint-{form.number}")


def find_learning(session: Session, viewer: Viewer | None, slug: str) -> Learning | None:
    """Return the user's progress, or None for a visitor who is not signed in. Raises NotFound."""
    return read_learning(session, viewer.id, slug) if viewer else None


def _keep(session: Session, user: User, slug: str, form: EditorForm) -> None:
    """Save the code on the page as the draft, unless it is the starter."""
    source = form.source.replace("\r\n", "\n")
    if source and (find_draft(session, user.id, slug) or source != get_problem(session, slug, user.id).starter):
        save_draft(session, Save(user_id=user.id, slug=slug, source=source, base=form.base))
