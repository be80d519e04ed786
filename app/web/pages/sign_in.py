"""Sign in and out with a user name and a password."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Response
from pydantic import BaseModel, Field

from app.accounts.session import end_session, start_session
from app.accounts.sign_in import SignIn, SignInFailed, sign_in
from app.accounts.throttle import TooOften
from app.web.cookie import find_secret, signed_in, signed_out
from app.web.origin import local_path, require_own_origin
from app.web.visit import CurrentVisit, Visit, limit_address, read_address, read_origin

router = APIRouter()


class SignInForm(BaseModel):
    username: str = ""
    password: str = Field("", repr=False)
    next: str = "/"


@router.get("/sign-in")
def show_sign_in(visit: CurrentVisit, next: str = "/") -> Response:
    return _page(visit, SignInForm(next=next), {})


@router.post("/sign-in", dependencies=[Depends(require_own_origin), Depends(limit_address)])
def send_sign_in(visit: CurrentVisit, form: Annotated[SignInForm, Form()]) -> Response:
    attempt = SignIn(username=form.username, password=form.password, address=read_address(visit.request))
    try:
        with visit.transaction() as session:
            user = sign_in(session, visit.request.app.state.account_throttles, attempt)
            secret = start_session(session, user.id, read_origin(visit.request))
    except SignInFailed as fault:
        return _page(visit, form, {"form": str(fault)}, status=422)
    except TooOften as fault:
        return _page(visit, form, {"form": str(fault)}, status=429)
    return signed_in(visit.request, secret, form.next)


@router.post("/sign-out", dependencies=[Depends(require_own_origin)])
def send_sign_out(visit: CurrentVisit) -> Response:
    with visit.transaction() as session:
        end_session(session, find_secret(visit.request))
    return signed_out()


def _page(visit: Visit, form: SignInForm, errors: dict[str, str], status: int = 200) -> Response:
    context = {"values": {"username": form.username}, "errors": errors, "next": local_path(form.next)}
    return visit.render("sign_in.html", context, status)
