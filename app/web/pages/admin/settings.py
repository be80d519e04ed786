"""The runtime settings: a form for each, with its bounds, default and last change."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Response

from app.accounts.permission import Permission, Viewer
from app.admin.retention import MOST_COUNTED
from app.admin.settings import RemovalUnconfirmed, Setting, change_settings, list_settings, put_back, read_value
from app.errors import Invalid
from app.policy import Policy
from app.request_state import get_policy
from app.web.origin import require_own_origin
from app.web.permission import needs
from app.web.visit import CurrentVisit, Visit, see_other

router = APIRouter(prefix="/admin/settings")

ReadsOperations = Annotated[Viewer, needs(Permission.READ_OPERATIONS)]
ChangesSettings = Annotated[Viewer, needs(Permission.CHANGE_SETTINGS, home="/admin/settings")]


@router.get("")
def show_settings(visit: CurrentVisit, viewer: ReadsOperations, saved: str = "") -> Response:  # noqa: ARG001
    return _render(visit, {"saved": saved if saved in Policy.model_fields else ""})


@router.post("/{name}", dependencies=[Depends(require_own_origin)])
def save_setting(
    visit: CurrentVisit,
    viewer: ChangesSettings,  # noqa: ARG001
    name: str,
    value: Annotated[str, Form()] = "",
    act: Annotated[str, Form()] = "",
    sure: Annotated[str, Form()] = "",
) -> Response:
    """Save a setting. `act` reset restores the default; `sure` confirms that a shorter retention deletes data."""
    try:
        with visit.transaction() as session:
            if act == "reset":
                put_back(session, visit.actor, name, is_confirmed=bool(sure))
            else:
                change_settings(session, visit.actor, {name: read_value(name, value)}, is_confirmed=bool(sure))
    except RemovalUnconfirmed as fault:
        asked = {"name": name, "act": act, "going": fault.going}
        return _render(visit, {"saved": "", "typed": {name: value}, "asked": asked}, 409)
    except Invalid as fault:
        return _render(visit, {"saved": "", "typed": {name: value}, "errors": {name: str(fault)}}, 422)
    get_policy(visit.request).refresh()
    return see_other(f"/admin/settings?saved={name}#{name}")


def _render(visit: Visit, context: dict[str, Any], status: int = 200) -> Response:
    with visit.transaction() as session:
        settings: tuple[Setting, ...] = list_settings(session)
    usual: dict[str, Any] = {
        "settings": settings,
        "typed": {},
        "errors": {},
        "asked": None,
        "most_counted": MOST_COUNTED,
    }
    return visit.render("admin/settings.html", usual | context, status)
