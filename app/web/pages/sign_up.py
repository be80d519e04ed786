"""Sign up, and be signed in at once."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Response
from pydantic import BaseModel, Field

from app.accounts.session import start_session
from app.accounts.user import SignUp, sign_up
from app.errors import Conflict, Invalid
from app.web.cookie import signed_in
from app.web.origin import local_path, require_own_origin
from app.web.visit import CurrentVisit, Visit, limit_address, read_origin

router = APIRouter()


class SignUpForm(BaseModel):
    username: str = ""
    password: str = Field("", repr=False)
    email: str = ""
    next: str = "/"


@router.get("/sign-up")
def show_sign_up(visit: CurrentVisit, next: str = "/") -> Response:
    return _page(visit, SignUpForm(next=next), {})


@router.post("/sign-up", dependencies=[Depends(require_own_origin), Depends(limit_address)])
def send_sign_up(visit: CurrentVisit, form: Annotated[SignUpForm, Form()]) -> Response:
    wanted = SignUp(username=form.username.strip().lower(), password=form.password, email=form.email.strip() or None)
    try:
        with visit.transaction() as session:
            secret = start_session(session, sign_up(session, wanted).id, read_origin(visit.request))
    except Invalid as fault:
        return _page(visit, form, {fault.field: str(fault)}, status=422)
    except Conflict as fault:
        return _page(visit, form, {"username": str(fault)}, status=409)
    return signed_in(visit.request, secret, form.next)


def _page(visit: Visit, form: SignUpForm, errors: dict[str, str], status: int = 200) -> Response:
    values = {"username": form.username, "email": form.email}
    context = {"values": values, "errors": errors, "next": local_path(form.next)}
    return visit.render("sign_up.html", context, status)
