"""Sign in and out with a user name and a password."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Response
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from app.accounts.permission import AccountSuspended
from app.accounts.session import end_session
from app.accounts.sign_in import SignIn, SignInFailed, find_browser, sign_in, sign_in_turn
from app.api.request_state import find_provider, get_limits
from app.errors import LimitReached
from app.web.visit import (
    BROWSER,
    CurrentVisit,
    Visit,
    arrive,
    find_secret,
    limit_address,
    local_path,
    read_address,
    require_own_origin,
    signed_out,
)

router = APIRouter()


class SignInForm(BaseModel):
    username: str = ""
    password: str = Field("", repr=False)
    next: str = "/"


@router.get("/sign-in")
def show_sign_in(visit: CurrentVisit, next: str = "/", after: str = "") -> Response:
    return sign_in_page(visit, SignInForm(next=next), notice=_explain(after))


@router.post("/sign-in", dependencies=[Depends(require_own_origin), Depends(limit_address)])
async def send_sign_in(visit: CurrentVisit, form: Annotated[SignInForm, Form()]) -> Response:
    attempt = await run_in_threadpool(_read_attempt, visit, form)
    try:
        async with sign_in_turn(get_limits(visit.request), attempt):
            return await run_in_threadpool(_sign_in, visit, form, attempt)
    except LimitReached as fault:
        response = await run_in_threadpool(sign_in_page, visit, form, error=str(fault), status=429)
        response.headers["Retry-After"] = str(fault.retry_seconds)
        return response


def _read_attempt(visit: Visit, form: SignInForm) -> SignIn:
    with visit.transaction() as session:
        browser = find_browser(session, BROWSER.read(visit.request), form.username)
    address = read_address(visit.request)
    return SignIn(username=form.username, password=form.password, address=address, browser=browser)


def _sign_in(visit: Visit, form: SignInForm, attempt: SignIn) -> Response:
    try:
        with visit.transaction() as session:
            user = sign_in(session, get_limits(visit.request), attempt)
            return arrive(visit, session, user, form.next)
    except SignInFailed as fault:
        return sign_in_page(visit, form, error=str(fault), status=422)
    except AccountSuspended as fault:
        return sign_in_page(visit, form, error=str(fault), status=403)


@router.post("/sign-out", dependencies=[Depends(require_own_origin)])
def send_sign_out(visit: CurrentVisit) -> Response:
    with visit.transaction() as session:
        end_session(session, find_secret(visit.request))
    return signed_out(visit.request)


def sign_in_page(visit: Visit, form: SignInForm, *, error: str = "", notice: str = "", status: int = 200) -> Response:
    """Render the page. `error` is about the form as a whole; `notice` confirms an earlier action."""
    context = {
        "values": {"username": form.username},
        "errors": {"form": error} if error else {},
        "notice": notice,
        "next": local_path(form.next),
        "provider": find_provider(visit.request),
    }
    return visit.render("sign_in.html", context, status)


def _explain(after: str) -> str:
    return {
        "reset": "Your new password is set. All sessions and API tokens were revoked. Sign in now.",
        "session": "Your session has ended. Sign in to go on. Code that you typed is kept in this browser.",
    }.get(after, "")
