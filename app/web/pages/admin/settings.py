"""The settings of run time: each in a form of its own, with its bounds, its default and its last change."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Response

from app.accounts.right import Right
from app.accounts.viewer import Viewer
from app.administration.setting import Setting, list_settings, read_value
from app.errors import Invalid
from app.policy.change import change_policy, reset_setting
from app.policy.current import CurrentPolicy
from app.policy.policy import Policy
from app.web.gate import needs
from app.web.origin import require_own_origin
from app.web.visit import CurrentVisit, Visit, see_other

router = APIRouter(prefix="/admin/settings")

ReadsOperations = Annotated[Viewer, needs(Right.READ_OPERATIONS)]
ChangesSettings = Annotated[Viewer, needs(Right.CHANGE_SETTINGS, home="/admin/settings")]


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
) -> Response:
    """`act` is `reset` to go back to the default."""
    try:
        with visit.transaction() as session:
            if act == "reset":
                reset_setting(session, visit.actor, name)
            else:
                change_policy(session, visit.actor, {name: read_value(name, value)})
    except Invalid as fault:
        return _render(visit, {"saved": "", "typed": {name: value}, "errors": {name: str(fault)}}, 422)
    policy: CurrentPolicy = visit.request.app.state.policy
    policy.refresh()
    return see_other(f"/admin/settings?saved={name}#{name}")


def _render(visit: Visit, context: dict[str, Any], status: int = 200) -> Response:
    with visit.transaction() as session:
        settings: tuple[Setting, ...] = list_settings(session)
    return visit.render("admin/settings.html", {"settings": settings, "typed": {}, "errors": {}, **context}, status)
