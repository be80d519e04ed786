"""New passwords for who has lost theirs, by a link that works once."""

from http import HTTPStatus

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from app.accounts.password_reset import reset_password
from app.api.dependency import Address, Stored
from app.api.field import Password
from app.api.openapi import problems
from app.audit import Actor
from app.body import Body
from app.request_state import get_reset_desk

router = APIRouter(prefix="/password-resets", tags=["users"])


class ResetWish(Body):
    """Whose password was lost."""

    account: str = Field(description="a user name or an e-mail address", examples=["ada"])


class ResetAnswer(BaseModel):
    """The same whether there is such an account or not."""

    detail: str


class NewPassword(Body):
    """The password from now on."""

    password: Password


@router.post(
    "",
    status_code=HTTPStatus.ACCEPTED,
    responses=problems(422),
    operation_id="ask_for_password",
    summary="Ask for a link for a new password",
)
def post_password_reset(request: Request, address: Address, wish: ResetWish) -> ResetAnswer:
    """Where the deployment sends no mail, or the account has no address, whoever runs the server gets the link."""
    desk = get_reset_desk(request)
    desk.ask(wish.account, address)
    if desk.sends_mail:
        return ResetAnswer(detail="if there is such an account and it has an e-mail address, a link was sent there")
    return ResetAnswer(detail="if there is such an account, whoever runs this server has a link for it; ask them")


@router.put(
    "/{token}",
    status_code=HTTPStatus.NO_CONTENT,
    responses=problems(403, 422),
    operation_id="reset_password",
    summary="Choose the new password",
)
def put_password_reset(database: Stored, address: Address, token: str, new: NewPassword) -> None:
    """`token` is the end of the link. All sessions and API tokens of the account end."""
    asker = Actor(user_id=None, channel="api", address=address)
    with database.transaction() as session:
        reset_password(session, asker, token, new.password.get_secret_value())
