"""Personal data export, and erasure of the user's own account."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Response
from pydantic import BaseModel, Field

from app.accounts.reauthentication import ReauthenticationFailed
from app.admin.erasure import erase_self
from app.admin.personal_data import export_user
from app.api.archive import send_file
from app.api.request_state import get_database, get_limits
from app.errors import Conflict, Invalid
from app.limits import RateLimitReached
from app.web.account import Outcome, Owner, prove, render_account
from app.web.visit import CurrentVisit, require_own_origin, signed_out

router = APIRouter(prefix="/account")

STATUS: dict[type[Exception], int] = {RateLimitReached: 429, Conflict: 409}


class EraseForm(BaseModel):
    erase_username: str = ""
    erase_password: str = Field("", repr=False)


@router.post("/export", dependencies=[Depends(require_own_origin)])
def send_export(visit: CurrentVisit, owner: Owner) -> Response:
    get_limits(visit.request).exports.use(str(owner.id))
    file = export_user(get_database(visit.request), visit.actor, owner.id)
    return send_file(file, f"allclose-{owner.username}.zip")


@router.post("/erase", dependencies=[Depends(require_own_origin)])
def send_erase(visit: CurrentVisit, owner: Owner, form: Annotated[EraseForm, Form()]) -> Response:
    try:
        with visit.transaction() as session:
            if form.erase_username.strip().lower() != owner.username:
                raise Invalid("erase_username", "this is not your user name; type your user name to confirm")
            erase_self(session, visit.actor, prove(session, visit, form.erase_password))
    except (Invalid, ReauthenticationFailed, RateLimitReached, Conflict) as fault:
        field = fault.field if isinstance(fault, Invalid) else "erase_password"
        errors, typed = {field: str(fault)}, {"erase_username": form.erase_username}
        return render_account(visit, Outcome(errors=errors, typed=typed), STATUS.get(type(fault), 422))
    return signed_out(visit.request, "/?done=erased#done")
