"""Backups: list, create, download, remove and restore."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Response
from pydantic import BaseModel, Field

from app.accounts.model import User
from app.accounts.permission import Permission, Viewer
from app.accounts.rate_limit import TooOften
from app.accounts.reauthentication import ReauthenticationFailed, require_reauthentication
from app.backup.service import BackupService
from app.errors import Conflict, LimitReached
from app.request_state import get_backup_service
from app.web.account import prove
from app.web.attachment import send_archive
from app.web.messages import gettext as _
from app.web.origin import require_own_origin
from app.web.permission import needs
from app.web.visit import CurrentVisit, Visit, see_other

HOME = "/admin/backups"
REFRESH_SECONDS = 3
STATUS: dict[type[Exception], int] = {TooOften: 429, LimitReached: 429, ReauthenticationFailed: 422}

router = APIRouter(prefix=HOME)

BacksUp = Annotated[Viewer, needs(Permission.BACK_UP, home=HOME)]


class ProvenForm(BaseModel):
    """A password and the confirmation checkbox."""

    password: str = Field("", repr=False)
    sure: str = ""


Service = Annotated[BackupService, Depends(get_backup_service)]


@router.get("")
def show_backups(visit: CurrentVisit, viewer: BacksUp, service: Service) -> Response:  # noqa: ARG001
    return _render(visit, service)


@router.post("", dependencies=[Depends(require_own_origin)])
def make_backup(visit: CurrentVisit, viewer: BacksUp, service: Service) -> Response:  # noqa: ARG001
    try:
        service.make(visit.actor)
    except (Conflict, LimitReached) as refusal:
        return _refuse(visit, service, refusal)
    return see_other(HOME)


@router.get("/{name}")
def show_backup(visit: CurrentVisit, viewer: BacksUp, service: Service, name: str) -> Response:  # noqa: ARG001
    return _render_one(visit, service, name)


@router.post("/{name}/file", dependencies=[Depends(require_own_origin)])
def send_file(
    visit: CurrentVisit, viewer: BacksUp, service: Service, name: str, form: Annotated[ProvenForm, Form()]
) -> Response:
    """Download a backup. This requires the password, so that a stolen session can't do it."""
    try:
        _prove(visit, viewer, form.password)
    except (ReauthenticationFailed, TooOften) as refusal:
        return _refuse_one(visit, service, name, refusal, "download")
    return send_archive(service.download(name, visit.actor), name)


@router.post("/{name}/remove", dependencies=[Depends(require_own_origin)])
def remove_backup(
    visit: CurrentVisit,
    viewer: BacksUp,  # noqa: ARG001
    service: Service,
    name: str,
    form: Annotated[ProvenForm, Form()],
) -> Response:
    try:
        _require_tick(form)
        service.remove(name, visit.actor)
    except Conflict as refusal:
        return _refuse_one(visit, service, name, refusal, "remove")
    return see_other(HOME)


@router.post("/{name}/restore", dependencies=[Depends(require_own_origin)])
def restore_backup(
    visit: CurrentVisit, viewer: BacksUp, service: Service, name: str, form: Annotated[ProvenForm, Form()]
) -> Response:
    try:
        _require_tick(form)
        _prove(visit, viewer, form.password)
        service.restore(name, visit.actor, replace=True)
    except (Conflict, ReauthenticationFailed, TooOften) as refusal:
        return _refuse_one(visit, service, name, refusal, "restore")
    return see_other(f"{HOME}/{name}")


def _require_tick(form: ProvenForm) -> None:
    if form.sure != "yes":
        raise Conflict(_("Tick the box to confirm."))


def _prove(visit: Visit, viewer: Viewer, password: str) -> None:
    """Raises ReauthenticationFailed, TooOften."""
    with visit.transaction() as session:
        require_reauthentication(session.get_one(User, viewer.id), prove(session, visit, password))


def _refuse(visit: Visit, service: BackupService, refusal: Exception) -> Response:
    return _render(visit, service, {"error": str(refusal)}, STATUS.get(type(refusal), 409))


def _refuse_one(visit: Visit, service: BackupService, name: str, refusal: Exception, form: str) -> Response:
    return _render_one(visit, service, name, {"errors": {form: str(refusal)}}, STATUS.get(type(refusal), 409))


def _render(visit: Visit, service: BackupService, context: dict[str, Any] | None = None, status: int = 200) -> Response:
    found = service.list_all()
    is_busy = any(backup.is_under_way for backup in found.items)
    shown = {"found": found, "is_busy": is_busy, "error": "", **(context or {})}
    return _kept_fresh(visit.render("admin/backups.html", shown, status), is_busy)


def _render_one(
    visit: Visit, service: BackupService, name: str, context: dict[str, Any] | None = None, status: int = 200
) -> Response:
    """Raises BackupNotFound."""
    backup = service.get(name)
    shown = {"backup": backup, "present": service.count_present(), "errors": {}, "refresh_seconds": REFRESH_SECONDS}
    shown["has_password"] = visit.user is not None and visit.user.password_hash is not None
    return _kept_fresh(visit.render("admin/backup.html", {**shown, **(context or {})}, status), backup.is_under_way)


def _kept_fresh(answer: Response, is_under_way: bool) -> Response:
    if is_under_way:
        answer.headers["Refresh"] = str(REFRESH_SECONDS)
    return answer
