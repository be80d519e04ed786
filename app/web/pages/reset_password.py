"""Password reset: request a link, then set a new password."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Response
from pydantic import BaseModel, Field

from app.accounts.password_reset import ResetLinkSpent, get_user_by_reset, reset_password
from app.api.request_state import shared_state
from app.errors import Invalid
from app.limits import RateLimitReached
from app.web.visit import CurrentVisit, Visit, limit_address, read_address, require_own_origin, see_other

router = APIRouter()


class AskForm(BaseModel):
    account: str = ""


class PasswordForm(BaseModel):
    password: str = Field("", repr=False)


@router.get("/forgot-password")
def show_forgot_password(visit: CurrentVisit) -> Response:
    return _ask_page(visit, AskForm(), {})


@router.post("/forgot-password", dependencies=[Depends(require_own_origin), Depends(limit_address)])
def send_forgot_password(visit: CurrentVisit, form: Annotated[AskForm, Form()]) -> Response:
    resets = shared_state(visit.request).password_resets
    try:
        resets.ask(form.account, read_address(visit.request))
    except RateLimitReached as fault:
        return _ask_page(visit, form, {"form": str(fault)}, 429)
    return visit.render("reset_asked.html", {"sends_mail": resets.sends_mail})


@router.get("/reset-password/{token}", dependencies=[Depends(limit_address)])
def show_reset_password(visit: CurrentVisit, token: str) -> Response:
    try:
        with visit.transaction() as session:
            username = get_user_by_reset(session, token).username
    except ResetLinkSpent as fault:
        return _ask_page(visit, AskForm(), {"form": str(fault)}, 403)
    return _choose_page(visit, username, {})


@router.post("/reset-password/{token}", dependencies=[Depends(require_own_origin), Depends(limit_address)])
def send_reset_password(visit: CurrentVisit, token: str, form: Annotated[PasswordForm, Form()]) -> Response:
    try:
        with visit.transaction() as session:
            username = get_user_by_reset(session, token).username
            reset_password(session, visit.actor, token, form.password)
    except ResetLinkSpent as fault:
        return _ask_page(visit, AskForm(), {"form": str(fault)}, 403)
    except Invalid as fault:
        return _choose_page(visit, username, {fault.field: str(fault)}, 422)
    return see_other("/sign-in?after=reset")


def _ask_page(visit: Visit, form: AskForm, errors: dict[str, str], status: int = 200) -> Response:
    return visit.render("forgot_password.html", {"values": {"account": form.account}, "errors": errors}, status)


def _choose_page(visit: Visit, username: str, errors: dict[str, str], status: int = 200) -> Response:
    return visit.render("reset_password.html", {"username": username, "errors": errors}, status)
