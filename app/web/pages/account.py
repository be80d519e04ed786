"""The account page: profile, e-mail, password and active sessions."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Form, Response
from pydantic import BaseModel, Field

from app.accounts.own_account import change_own_email, change_password, sign_out_elsewhere, sign_out_session
from app.accounts.reauthentication import ReauthenticationFailed
from app.errors import AllcloseError, Invalid
from app.limits import RateLimitReached
from app.lti.link import unlink_person
from app.web.account import Outcome, Owner, prove, render_account
from app.web.address import PlatformId
from app.web.visit import CurrentVisit, Visit, find_secret, require_own_origin, see_other

router = APIRouter(prefix="/account")


class EmailForm(BaseModel):
    email: str = ""
    email_password: str = Field("", repr=False)


class PasswordForm(BaseModel):
    current: str = Field("", repr=False)
    new: str = Field("", repr=False)


@router.get("")
def show_account(visit: CurrentVisit, owner: Owner, done: str = "") -> Response:  # noqa: ARG001
    return render_account(visit, Outcome(done=done))


@router.post("/email", dependencies=[Depends(require_own_origin)])
def send_email(visit: CurrentVisit, owner: Owner, form: Annotated[EmailForm, Form()]) -> Response:  # noqa: ARG001
    try:
        with visit.transaction() as session:
            reauthentication = prove(session, visit, form.email_password)
            change_own_email(session, visit.actor, reauthentication, form.email.strip() or None)
    except (Invalid, ReauthenticationFailed, RateLimitReached) as fault:
        field = "email" if isinstance(fault, Invalid) else "email_password"
        return _again(visit, field, fault, {"email": form.email})
    return see_other("/account?done=email#done")


@router.post("/password", dependencies=[Depends(require_own_origin)])
def send_password(visit: CurrentVisit, owner: Owner, form: Annotated[PasswordForm, Form()]) -> Response:  # noqa: ARG001
    try:
        with visit.transaction() as session:
            reauthentication = prove(session, visit, form.current)
            change_password(session, visit.actor, reauthentication, form.new, keep=find_secret(visit.request))
    except (Invalid, ReauthenticationFailed, RateLimitReached) as fault:
        return _again(visit, "new" if isinstance(fault, Invalid) else "current", fault)
    return see_other("/account?done=password#done")


@router.post("/platforms/{platform_id}/remove", dependencies=[Depends(require_own_origin)])
def send_unlink(visit: CurrentVisit, owner: Owner, platform_id: PlatformId) -> Response:
    with visit.transaction() as session:
        unlink_person(session, visit.actor, owner.id, platform_id)
    return see_other("/account?done=platform#done")


@router.post("/sessions/{session_id}/end", dependencies=[Depends(require_own_origin)])
def send_end_session(visit: CurrentVisit, owner: Owner, session_id: UUID) -> Response:
    with visit.transaction() as session:
        sign_out_session(session, visit.actor, owner.user, session_id)
    return see_other("/account?done=session#done")


@router.post("/sessions/end-others", dependencies=[Depends(require_own_origin)])
def send_end_others(visit: CurrentVisit, owner: Owner) -> Response:
    with visit.transaction() as session:
        sign_out_elsewhere(session, visit.actor, owner.user, keep=find_secret(visit.request))
    return see_other("/account?done=sessions#done")


def _again(visit: Visit, field: str, fault: AllcloseError, typed: dict[str, str] | None = None) -> Response:
    status = 429 if isinstance(fault, RateLimitReached) else 422
    return render_account(visit, Outcome(errors={field: str(fault)}, typed=typed or {}), status)
