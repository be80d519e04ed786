"""Password resets, by a link that works once."""

from http import HTTPStatus

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from app.accounts.password_reset import reset_password
from app.api.dependency import Address, Stored
from app.api.field import Password
from app.api.request_state import get_password_resets
from app.audit import Actor
from app.validation import Body

router = APIRouter(prefix="/password-resets", tags=["users"])


class ResetWish(Body):
    """The account whose password was lost."""

    account: str = Field(description="a user name or an e-mail address", examples=["ada"])


class ResetAnswer(BaseModel):
    """The same answer for every account, known or unknown."""

    detail: str


class NewPassword(Body):
    """The new password."""

    password: Password


@router.post(
    "",
    status_code=HTTPStatus.ACCEPTED,
    operation_id="ask_for_password",
    summary="Ask for a link for a new password",
)
def post_password_reset(request: Request, address: Address, wish: ResetWish) -> ResetAnswer:
    """If the deployment sends no mail or the account has no e-mail, the link goes to the server's log for its admin."""
    resets = get_password_resets(request)
    resets.ask(wish.account, address)
    if resets.sends_mail:
        return ResetAnswer(detail="If the account exists and has an e-mail address, a link was sent there.")
    return ResetAnswer(detail="If the account exists, the admin of this server has a link for it. Ask them.")


@router.put(
    "/{token}",
    status_code=HTTPStatus.NO_CONTENT,
    operation_id="reset_password",
    summary="Choose the new password",
)
def put_password_reset(database: Stored, address: Address, token: str, new: NewPassword) -> None:
    """`token` is the end of the link. The account's sessions and API tokens end."""
    asker = Actor(user_id=None, channel="api", address=address)
    with database.transaction() as session:
        reset_password(session, asker, token, new.password.get_secret_value())
