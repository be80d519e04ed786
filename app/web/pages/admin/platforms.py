"""Learning platforms: register one, check its keys, approve its deployments, and rotate Allclose's key."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Response
from pydantic import BaseModel
from sqlalchemy.orm import Session

from app.accounts.permission import Permission
from app.api.request_state import get_platforms, get_settings
from app.errors import AllcloseError, Conflict, Invalid
from app.lti.fetch import PlatformAway, PlatformRefused
from app.lti.model import Platform
from app.lti.platform import (
    PlatformFields,
    add_platform,
    approve,
    change_platform,
    check_platform,
    disapprove,
    get_platform,
    list_platforms,
    read_use,
    remove_platform,
    rotate_key,
)
from app.validation import read_fields
from app.web.address import PlatformId
from app.web.permission import needs
from app.web.visit import CurrentVisit, Visit, require_own_origin, see_other

HOME = "/admin/platforms"
router = APIRouter(prefix=HOME, dependencies=[needs(Permission.READ_OPERATIONS)])
CHANGES = [Depends(require_own_origin), needs(Permission.CHANGE_SETTINGS, HOME)]
DONE = {
    "added": "Registered. Open it once in the platform, then approve its deployment here.",
    "saved": "Saved.",
    "removed": "Removed.",
    "approved": "Approved.",
    "disapproved": "No longer approved: its launches are refused, and it gets no scores.",
    "key": "New key. Allclose signs with it from tomorrow on. Until then platforms read it.",
}


class PlatformForm(BaseModel):
    name: str = ""
    issuer: str = ""
    client_id: str = ""
    web_address: str = ""
    login_url: str = ""
    token_url: str = ""
    keys_url: str = ""
    may_create_courses: bool = False


class DeploymentForm(BaseModel):
    deployment: str = ""
    is_approved: bool = False


@router.get("")
def show_platforms(visit: CurrentVisit, done: str = "") -> Response:
    return _render(visit, {"done": DONE.get(done)})


@router.post("", dependencies=CHANGES)
def send_platform(visit: CurrentVisit, form: Annotated[PlatformForm, Form()]) -> Response:
    def add(session: Session) -> None:
        wanted = read_fields(PlatformFields, form.model_dump())
        add_platform(session, visit.actor, wanted, get_platforms(visit.request).rule)

    return _change(visit, add, "added", {"values": form.model_dump()})


@router.get("/{platform_id}")
def show_platform(visit: CurrentVisit, platform_id: PlatformId) -> Response:
    with visit.transaction() as session:
        platform = get_platform(session, platform_id)
        use = read_use(session, platform)
    return _render(visit, {"edited": platform, "values": _values(platform), "use": use})


@router.post("/{platform_id}", dependencies=CHANGES)
def send_change(visit: CurrentVisit, platform_id: PlatformId, form: Annotated[PlatformForm, Form()]) -> Response:
    with visit.transaction() as session:
        platform = get_platform(session, platform_id)
        use = read_use(session, platform)

    def change(session: Session) -> None:
        wanted = read_fields(PlatformFields, form.model_dump())
        rule = get_platforms(visit.request).rule
        change_platform(session, visit.actor, get_platform(session, platform_id), wanted, rule)

    return _change(visit, change, "saved", {"edited": platform, "values": form.model_dump(), "use": use})


@router.post("/{platform_id}/remove", dependencies=CHANGES)
def send_removal(visit: CurrentVisit, platform_id: PlatformId, sure: Annotated[str, Form()] = "") -> Response:
    with visit.transaction() as session:
        remove_platform(session, visit.actor, get_platform(session, platform_id), is_confirmed=sure == "yes")
    return see_other(f"{HOME}?done=removed")


@router.post("/{platform_id}/check", dependencies=CHANGES)
def send_check(visit: CurrentVisit, platform_id: PlatformId) -> Response:
    with visit.transaction() as session:
        platform = get_platform(session, platform_id)
    try:
        said, fault = check_platform(get_platforms(visit.request), platform), ""
    except (PlatformAway, PlatformRefused) as error:
        said, fault = "", f"{platform.name}: {error}"
    return _render(visit, {"done": said, "errors": {"form": fault} if fault else {}}, 422 if fault else 200)


@router.post("/{platform_id}/deployments", dependencies=CHANGES)
def send_deployment(visit: CurrentVisit, platform_id: PlatformId, form: Annotated[DeploymentForm, Form()]) -> Response:
    with visit.transaction() as session:
        platform = get_platform(session, platform_id)
        (approve if form.is_approved else disapprove)(session, visit.actor, platform, form.deployment)
    return see_other(f"{HOME}?done={'approved' if form.is_approved else 'disapproved'}")


@router.post("/key/rotate", dependencies=CHANGES)
def send_rotation(visit: CurrentVisit) -> Response:
    return _change(visit, lambda session: rotate_key(session, visit.actor), "key", {})


def _change(visit: Visit, step: Callable[[Session], object], done: str, context: dict[str, Any]) -> Response:
    try:
        with visit.transaction() as session:
            step(session)
    except Invalid as fault:
        return _render(visit, context | {"errors": fault.by_field}, 422)
    except Conflict as fault:
        return _render(visit, context | {"errors": {"form": str(fault)}}, 409)
    return see_other(f"{HOME}?done={done}")


def _values(platform: Platform) -> dict[str, Any]:
    return {name: getattr(platform, name) for name in PlatformForm.model_fields}


def _render(visit: Visit, context: dict[str, Any], status: int = 200) -> Response:
    refusal = ""
    try:
        get_platforms(visit.request)
    except AllcloseError as fault:
        refusal = str(fault)
    with visit.transaction() as session:
        entries = list_platforms(session)
    usual: dict[str, Any] = {"entries": entries, "edited": None, "values": PlatformForm().model_dump()}
    usual |= {"errors": {}, "done": None, "refusal": refusal, "base_url": get_settings(visit.request).base_url}
    return visit.render("admin/platforms.html", usual | context, status)
