"""The user's API tokens: create one, whose secret is shown once, and revoke one."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Form, Response
from pydantic import BaseModel, Field

from app.accounts.own_account import give_up_token, make_own_token
from app.accounts.reauthentication import ReauthenticationFailed
from app.accounts.token import Bounds
from app.errors import Conflict, Invalid
from app.limits import RateLimitReached
from app.web.account import Outcome, Owner, prove, render_account
from app.web.visit import CurrentVisit, require_own_origin, see_other

router = APIRouter(prefix="/account/tokens")

# The form's field for each field of the domain.
FIELD = {"name": "token_name", "scopes": "scopes", "expires_in_days": "expires_in_days"}


class TokenForm(BaseModel):
    """A new token. An empty `expires_in_days` means that it never expires."""

    token_name: str = ""
    scopes: list[str] = []
    everything: bool = False
    expires_in_days: str = ""
    token_password: str = Field("", repr=False, exclude=True)


@router.post("", dependencies=[Depends(require_own_origin)])
def send_token(visit: CurrentVisit, owner: Owner, form: Annotated[TokenForm, Form()]) -> Response:  # noqa: ARG001
    try:
        with visit.transaction() as session:
            reauthentication = prove(session, visit, form.token_password)
            name = form.token_name.strip() or "token"
            new = make_own_token(session, visit.actor, reauthentication, name, _bounds(form))
    except Invalid as fault:
        errors = {FIELD[fault.field]: str(fault)}
        return render_account(visit, Outcome(errors=errors, typed=form.model_dump()), 422)
    except (ReauthenticationFailed, RateLimitReached) as fault:
        errors = {"token_password": str(fault)}
        status = 429 if isinstance(fault, RateLimitReached) else 422
        return render_account(visit, Outcome(errors=errors, typed=form.model_dump()), status)
    except Conflict as fault:
        return render_account(visit, Outcome(errors={"token_name": str(fault)}, typed=form.model_dump()), 409)
    return render_account(visit, Outcome(new_token=new), 201)


@router.post("/{token_id}/revoke", dependencies=[Depends(require_own_origin)])
def send_revoke(visit: CurrentVisit, owner: Owner, token_id: UUID) -> Response:
    with visit.transaction() as session:
        give_up_token(session, visit.actor, owner.user, token_id)
    return see_other("/account?done=token#done")


def _bounds(form: TokenForm) -> Bounds:
    """Raises Invalid."""
    days = form.expires_in_days.strip()
    if days and not (days.isascii() and days.isdigit() and len(days) <= 9):
        raise Invalid("expires_in_days", "enter a number of days or leave it empty")
    return Bounds(scopes=None if form.everything else form.scopes, expires_in_days=int(days) if days else None)
