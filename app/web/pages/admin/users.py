"""Users, for admins: the list with its filters; one user, with what can be done about them."""

from collections.abc import Callable
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Form, Response
from pydantic import BaseModel
from sqlalchemy.orm import Session

from app.accounts.model import Role
from app.accounts.right import Right
from app.accounts.viewer import Viewer
from app.audit.record import Actor
from app.errors import Conflict, Invalid
from app.people.change import change_email, change_role, reactivate, sign_out, suspend
from app.people.erase import erase
from app.people.export import export_user
from app.people.person import State
from app.people.query import UserFilters, get_account, list_users
from app.people.reset_link import make_link
from app.web.attachment import send_archive
from app.web.dependency import get_database
from app.web.gate import needs
from app.web.messages import gettext as _
from app.web.origin import require_own_origin
from app.web.visit import CurrentVisit, Visit, see_other

router = APIRouter(prefix="/admin/users")

Reads = Annotated[Viewer, needs(Right.READ_USERS, home="/admin/users")]
Changes = Annotated[Viewer, needs(Right.CHANGE_USERS, home="/admin/users")]
Act = Literal["suspend", "reactivate", "sign-out", "erase"]

ACTS: dict[Act, Callable[[Session, Actor, UUID], object]] = {
    "suspend": suspend,
    "reactivate": reactivate,
    "sign-out": sign_out,
    "erase": erase,
}


class RoleForm(BaseModel):
    role: Role


class EmailForm(BaseModel):
    email: str = ""


class SureForm(BaseModel):
    sure: Literal["", "yes"] = ""


@router.get("")
def show_users(
    visit: CurrentVisit,
    viewer: Reads,  # noqa: ARG001
    q: str = "",
    role: Role | Literal[""] = "",
    state: State | Literal[""] = "",
) -> Response:
    wanted = UserFilters(q=q, role=role or None, state=state or None)
    with visit.transaction() as session:
        page = list_users(session, wanted, visit.request.query_params.get("cursor") or None)
    query = {name: value for name, value in (("q", q), ("role", role), ("state", state)) if value}
    return visit.render("admin/users.html", {"page": page, "query": query})


@router.get("/{user_id}")
def show_user(visit: CurrentVisit, viewer: Reads, user_id: UUID, done: str = "") -> Response:  # noqa: ARG001
    return _render(visit, user_id, {"done": _say(done)})


@router.post("/{user_id}/role", dependencies=[Depends(require_own_origin)])
def send_role(visit: CurrentVisit, viewer: Changes, user_id: UUID, form: Annotated[RoleForm, Form()]) -> Response:  # noqa: ARG001
    return _do(visit, user_id, "role", lambda session: change_role(session, visit.actor, user_id, form.role))


@router.post("/{user_id}/email", dependencies=[Depends(require_own_origin)])
def send_email(visit: CurrentVisit, viewer: Changes, user_id: UUID, form: Annotated[EmailForm, Form()]) -> Response:  # noqa: ARG001
    email = form.email.strip() or None
    return _do(visit, user_id, "email", lambda session: change_email(session, visit.actor, user_id, email))


@router.post("/{user_id}/reset-link", dependencies=[Depends(require_own_origin)])
def send_reset_link(visit: CurrentVisit, viewer: Changes, user_id: UUID) -> Response:  # noqa: ARG001
    try:
        with visit.transaction() as session:
            link = make_link(session, visit.actor, user_id, visit.request.app.state.settings.base_url)
    except Conflict as fault:
        return _render(visit, user_id, {"error": str(fault)}, 409)
    return _render(visit, user_id, {"link": link}, 201)


@router.post("/{user_id}/export", dependencies=[Depends(require_own_origin)])
def send_export(visit: CurrentVisit, viewer: Changes, user_id: UUID) -> Response:  # noqa: ARG001
    file = export_user(get_database(visit.request), visit.actor, user_id)
    return send_archive(file, f"allclose-{user_id}.zip")


@router.post("/{user_id}/act/{act}", dependencies=[Depends(require_own_origin)])
def send_act(
    visit: CurrentVisit,
    viewer: Changes,  # noqa: ARG001
    user_id: UUID,
    act: Act,
    form: Annotated[SureForm, Form()],
) -> Response:
    if not form.sure and act in ("suspend", "erase"):
        return _render(visit, user_id, {"error": _("Tick the box to say that you mean it.")}, 422)
    return _do(visit, user_id, act, lambda session: ACTS[act](session, visit.actor, user_id))


def _do(visit: Visit, user_id: UUID, what: str, step: Callable[[Session], object]) -> Response:
    try:
        with visit.transaction() as session:
            step(session)
    except (Conflict, Invalid) as fault:
        return _render(visit, user_id, {"error": str(fault)}, 409 if isinstance(fault, Conflict) else 422)
    return see_other(f"/admin/users/{user_id}?done={what}")


def _render(visit: Visit, user_id: UUID, context: dict[str, Any], status: int = 200) -> Response:
    with visit.transaction() as session:
        account = get_account(session, user_id)
    usual = {"account": account, "is_self": visit.actor.user_id == user_id, "done": None, "error": None, "link": None}
    return visit.render("admin/user.html", usual | context, status)


def _say(done: str) -> str | None:
    return {
        "role": _("The role is changed, and holds from their next request on."),
        "email": _("The e-mail address is saved."),
        "suspend": _("They are suspended: signed out everywhere, and their tokens rest."),
        "reactivate": _("They may come in again."),
        "sign-out": _("They are signed out of all browsers."),
        "erase": _("They are erased. Only this nameless row is left."),
    }.get(done)
