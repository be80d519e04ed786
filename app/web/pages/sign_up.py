"""Sign-up, open to all or by an invitation's link. It also signs the user in."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Response
from pydantic import BaseModel, Field

from app.accounts.invitation import InvitationSpent
from app.accounts.sign_up import Applicant, InvitationMissing, SignUpClosed, admit, join
from app.accounts.user import SignUp
from app.api.request_limits import await_sign_up_turn
from app.api.request_state import find_provider, get_limits
from app.errors import Conflict, Invalid, Refused
from app.limits import RateLimitReached
from app.web.visit import CurrentVisit, Visit, arrive, limit_address, local_path, read_address, require_own_origin

router = APIRouter()
POST_CHECKS = (Depends(require_own_origin), Depends(limit_address), Depends(await_sign_up_turn, scope="function"))
SHUT = (SignUpClosed, InvitationMissing, InvitationSpent)


class SignUpForm(BaseModel):
    username: str = ""
    password: str = Field("", repr=False)
    email: str = ""
    next: str = "/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """The way to sign up. Without an invitation, secret and role are None."""

    secret: str | None = None
    role: str | None = None
    email: str = ""


@router.get("/sign-up")
def show_sign_up(visit: CurrentVisit, next: str = "/") -> Response:
    return _show(visit, SignUpForm(next=next), None)


@router.get("/invitations/{secret}", dependencies=[Depends(limit_address)])
def show_invitation(visit: CurrentVisit, secret: str) -> Response:
    return _show(visit, SignUpForm(), secret)


@router.post("/sign-up", dependencies=POST_CHECKS)
def send_sign_up(visit: CurrentVisit, form: Annotated[SignUpForm, Form()]) -> Response:
    return _send(visit, form, None)


@router.post("/invitations/{secret}", dependencies=POST_CHECKS)
def send_invitation(visit: CurrentVisit, secret: str, form: Annotated[SignUpForm, Form()]) -> Response:
    return _send(visit, form, secret)


def _show(visit: Visit, form: SignUpForm, secret: str | None) -> Response:
    try:
        door = _open(visit, secret)
    except SHUT as fault:
        # A spent invitation is a 403. The sign-up page itself exists and explains that sign-up is closed.
        return _shut(visit, fault, form.next, 403 if secret else 200)
    return _page(visit, form.model_copy(update={"email": door.email}), door, {})


def _send(visit: Visit, form: SignUpForm, secret: str | None) -> Response:
    try:
        door = _open(visit, secret)
        return _join(visit, form, secret)
    except Invalid as fault:
        return _page(visit, form, door, fault.by_field, 422)
    except Conflict as fault:
        return _page(visit, form, door, {"username": str(fault)}, 409)
    except RateLimitReached as fault:
        return _page(visit, form, door, {"form": str(fault)}, 429)
    except SHUT as fault:
        return _shut(visit, fault, form.next, 403)


def _open(visit: Visit, secret: str | None) -> Door:
    """Check that sign-up is possible. Raises the exceptions in SHUT."""
    with visit.transaction() as session:
        invitation = admit(session, _applicant(visit, secret))
        if invitation is None:
            return Door()
        return Door(secret=secret, role=invitation.role, email=invitation.email or "")


def _join(visit: Visit, form: SignUpForm, secret: str | None) -> Response:
    wanted = SignUp(username=form.username.strip().lower(), password=form.password, email=form.email.strip() or None)
    with visit.transaction() as session:
        user = join(session, get_limits(visit.request), _applicant(visit, secret), wanted)
        return arrive(visit, session, user, form.next)


def _applicant(visit: Visit, secret: str | None) -> Applicant:
    return Applicant(channel="page", address=read_address(visit.request), invitation=secret)


def _page(visit: Visit, form: SignUpForm, door: Door, errors: dict[str, str], status: int = 200) -> Response:
    context = {
        "values": {"username": form.username, "email": form.email},
        "errors": errors,
        "next": local_path(form.next),
        "provider": find_provider(visit.request),
        "door": door,
    }
    return visit.render("sign_up.html", context, status)


def _shut(visit: Visit, fault: Refused, next_path: str, status: int) -> Response:
    return visit.render("sign_up_shut.html", {"fault": str(fault), "next": local_path(next_path)}, status)
