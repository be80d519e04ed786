"""Invitations: create one, copy its link, list and revoke them."""

from typing import Annotated, Literal, cast

from fastapi import APIRouter, Depends, Form, Response
from pydantic import BaseModel

from app.accounts.invitation import (
    DEFAULT_DAYS,
    MAX_DAYS,
    MAX_NOTE,
    InvitationState,
    Invite,
    invite,
    list_invitations,
    revoke_invitation,
)
from app.accounts.model import Role
from app.accounts.permission import Permission
from app.api.request_state import get_settings, shared_state
from app.errors import Conflict, Invalid, NotFound
from app.policy import read_policy
from app.web.address import InvitationId
from app.web.permission import needs
from app.web.visit import CurrentVisit, Visit, require_own_origin, see_other

HOME = "/admin/invitations"
router = APIRouter(prefix=HOME)


class InviteForm(BaseModel):
    role: Role = "student"
    email: str = ""
    note: str = ""
    days: int = DEFAULT_DAYS


@router.get("", dependencies=[needs(Permission.READ_USERS)])
def show_invitations(visit: CurrentVisit, state: InvitationState | Literal[""] = "", cursor: str = "") -> Response:
    return _page(visit, cursor=cursor or None, state=state or None)


@router.post("", dependencies=[Depends(require_own_origin), needs(Permission.CHANGE_USERS, HOME)])
def send_invitation(visit: CurrentVisit, form: Annotated[InviteForm, Form()]) -> Response:
    wanted = Invite(role=form.role, email=form.email.strip() or None, note=form.note.strip(), days=form.days)
    base_url = get_settings(visit.request).base_url
    try:
        with visit.transaction() as session:
            new = invite(session, visit.actor, wanted)
            letter = new.letter(base_url)
    except Invalid as fault:
        return _page(visit, form, errors={fault.field: str(fault)}, status=422)
    if letter is not None:
        shared_state(visit.request).outbox.send(letter)
    return _page(visit, link=new.link(base_url))


@router.post(
    "/{invitation_id}/revoke", dependencies=[Depends(require_own_origin), needs(Permission.CHANGE_USERS, HOME)]
)
def send_revoke(visit: CurrentVisit, invitation_id: InvitationId) -> Response:
    try:
        with visit.transaction() as session:
            revoke_invitation(session, visit.actor, invitation_id)
    except (NotFound, Conflict) as fault:
        return _page(visit, errors={"form": str(fault)}, status=409)
    return see_other(HOME)


def _page(
    visit: Visit,
    form: InviteForm | None = None,
    *,
    errors: dict[str, str] | None = None,
    status: int = 200,
    **about: str | None,
) -> Response:
    """Render the page. `about`: the `cursor` and `state` of the list, or the new `link`, which is shown once."""
    cursor, state = about.get("cursor"), cast(InvitationState | None, about.get("state"))
    with visit.transaction() as session:
        page, mode = list_invitations(session, cursor, state=state), read_policy(session).sign_up
    context = {
        "page": page,
        "mode": mode,
        "is_first": cursor is None,
        "query": {"state": state} if state else {},
        "link": about.get("link"),
        "sends_mail": shared_state(visit.request).outbox.server is not None,
        "values": (form or InviteForm()).model_dump(),
        "errors": errors or {},
        "bounds": {"days": MAX_DAYS, "note": MAX_NOTE},
    }
    return visit.render("admin/invitations.html", context, status)
