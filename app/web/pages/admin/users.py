"""The admin pages of users: the list with filters, and one user with all actions."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Form, Response
from pydantic import BaseModel
from sqlalchemy.orm import Session

from app.accounts.model import Role
from app.accounts.permission import Permission, Viewer, permissions_of
from app.admin.erasure import erase
from app.admin.personal_data import export_user
from app.admin.user_change import (
    ChangedMeanwhile,
    OwnAccount,
    cancel_queue,
    change_email,
    change_role,
    lock_user,
    make_link,
    reactivate,
    sign_out,
    suspend,
)
from app.admin.user_list import State, UserFilters, get_account, list_users
from app.api.archive import send_file
from app.api.request_state import get_database, get_settings
from app.audit import Actor
from app.errors import AllcloseError, Conflict, Invalid, Outdated
from app.web.permission import needs
from app.web.visit import CurrentVisit, Visit, require_own_origin, see_other

router = APIRouter(prefix="/admin/users")

Reads = Annotated[Viewer, needs(Permission.READ_USERS, home="/admin/users")]
Changes = Annotated[Viewer, needs(Permission.CHANGE_USERS, home="/admin/users")]
Act = Literal["suspend", "reactivate", "sign-out", "cancel-queue", "erase"]

ACTS: dict[Act, Callable[[Session, Actor, UUID], object]] = {
    "suspend": suspend,
    "reactivate": reactivate,
    "sign-out": sign_out,
    "cancel-queue": cancel_queue,
    "erase": erase,
}


class SureForm(BaseModel):
    sure: Literal["", "yes"] = ""


class RoleForm(SureForm):
    """A new role. `seen` is the role that the form showed."""

    role: Role
    seen: Role | None = None


class EmailForm(BaseModel):
    email: str = ""
    seen: str | None = None


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
    is_first = "cursor" not in visit.request.query_params
    return visit.render("admin/users.html", {"page": page, "query": query, "is_first": is_first})


@router.get("/{user_id}")
def show_user(visit: CurrentVisit, viewer: Reads, user_id: UUID, done: str = "") -> Response:  # noqa: ARG001
    return _render(visit, user_id, {"done": _say(done)})


@router.post("/{user_id}/role", dependencies=[Depends(require_own_origin)])
def send_role(visit: CurrentVisit, viewer: Changes, user_id: UUID, form: Annotated[RoleForm, Form()]) -> Response:
    is_leaving = user_id == viewer.id and Permission.READ_USERS not in permissions_of(form.role)
    if is_leaving and not form.sure:
        return _ask_whether_sure(visit, user_id)
    answer = _do(
        visit, user_id, "role", lambda session: change_role(session, visit.actor, user_id, form.role, seen=form.seen)
    )
    return see_other("/account?done=role") if is_leaving and answer.status_code == HTTPStatus.SEE_OTHER else answer


@router.post("/{user_id}/email", dependencies=[Depends(require_own_origin)])
def send_email(visit: CurrentVisit, viewer: Changes, user_id: UUID, form: Annotated[EmailForm, Form()]) -> Response:  # noqa: ARG001
    return _do(visit, user_id, "email", lambda session: _change_email(session, visit.actor, user_id, form))


@router.post("/{user_id}/reset-link", dependencies=[Depends(require_own_origin)])
def send_reset_link(visit: CurrentVisit, viewer: Changes, user_id: UUID) -> Response:  # noqa: ARG001
    try:
        with visit.transaction() as session:
            link = make_link(session, visit.actor, user_id, get_settings(visit.request).base_url)
    except (Conflict, OwnAccount) as fault:
        return _render(visit, user_id, {"error": str(fault)}, _status_of(fault))
    return _render(visit, user_id, {"link": link}, 201)


@router.post("/{user_id}/export", dependencies=[Depends(require_own_origin)])
def send_export(visit: CurrentVisit, viewer: Changes, user_id: UUID) -> Response:  # noqa: ARG001
    file = export_user(get_database(visit.request), visit.actor, user_id)
    return send_file(file, f"allclose-{user_id}.zip")


@router.post("/{user_id}/act/{act}", dependencies=[Depends(require_own_origin)])
def send_act(
    visit: CurrentVisit,
    viewer: Changes,  # noqa: ARG001
    user_id: UUID,
    act: Act,
    form: Annotated[SureForm, Form()],
) -> Response:
    if not form.sure and act in ("suspend", "erase"):
        return _ask_whether_sure(visit, user_id)
    return _do(visit, user_id, act, lambda session: ACTS[act](session, visit.actor, user_id))


def _do(visit: Visit, user_id: UUID, what: str, step: Callable[[Session], object]) -> Response:
    try:
        with visit.transaction() as session:
            step(session)
    except (Conflict, Invalid, OwnAccount, Outdated) as fault:
        return _render(visit, user_id, {"error": str(fault)}, _status_of(fault))
    return see_other(f"/admin/users/{user_id}?done={what}")


def _change_email(session: Session, actor: Actor, user_id: UUID, form: EmailForm) -> None:
    """Change the e-mail. Raises ChangedMeanwhile and the errors of `change_email`."""
    email = form.email.strip() or None
    now = lock_user(session, user_id).email
    if form.seen is not None and now not in (form.seen or None, email):
        raise ChangedMeanwhile("e-mail address", seen=form.seen, now=now, wanted=email)
    change_email(session, actor, user_id, email)


def _ask_whether_sure(visit: Visit, user_id: UUID) -> Response:
    return _render(visit, user_id, {"error": "Tick the box to confirm."}, 422)


def _status_of(fault: AllcloseError) -> int:
    return {Invalid: 422, OwnAccount: 403}.get(type(fault), 409)


def _render(visit: Visit, user_id: UUID, context: dict[str, Any], status: int = 200) -> Response:
    with visit.transaction() as session:
        account = get_account(session, user_id)
    usual = {"account": account, "is_self": visit.actor.user_id == user_id, "done": None, "error": None, "link": None}
    return visit.render("admin/user.html", usual | context, status)


def _say(done: str) -> str | None:
    return {
        "role": "Role changed.",
        "email": "E-mail address saved.",
        "suspend": "User suspended: signed out everywhere, tokens disabled.",
        "reactivate": "User reactivated.",
        "sign-out": "User signed out of all browsers.",
        "cancel-queue": "Unfinished submissions cancelled. The audit log has their number.",
        "erase": "User erased. Only this anonymous record is left.",
    }.get(done)
