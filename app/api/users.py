"""Signing up."""

from datetime import datetime
from http import HTTPStatus
from uuid import UUID

from fastapi import APIRouter, Depends, Response
from pydantic import BaseModel, ConfigDict, Field, SecretStr

from app.accounts.model import Role
from app.accounts.sign_up import Applicant, join
from app.accounts.user import SignUp
from app.api.dependency import Address, AllLimits, Stored
from app.api.field import Email, Password, Username
from app.api.openapi import locates
from app.api.request_limits import await_sign_up_turn
from app.validation import Body

router = APIRouter(prefix="/users", tags=["users"])


class NewUser(Body):
    """The account to make."""

    username: Username
    password: Password
    email: Email | None = Field(None, examples=["ada@example.org"])
    invitation: SecretStr | None = Field(
        None,
        description="the secret of an invitation, which is the end of its link: the account gets its role",
    )


class UserView(BaseModel):
    """Your own account."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    username: str
    email: str | None
    role: Role
    is_ranked: bool = Field(description="whether leaderboards show you")
    created_at: datetime


@router.post(
    "",
    status_code=HTTPStatus.CREATED,
    dependencies=[Depends(await_sign_up_turn, scope="function")],
    responses={201: locates("the user's path")},
    summary="Sign up",
)
def create_user(database: Stored, address: Address, limits: AllLimits, new: NewUser, response: Response) -> UserView:
    """A 403 if the deployment needs an invitation and the request has none, or if signing up is closed."""
    wanted = SignUp(username=new.username, password=new.password.get_secret_value(), email=new.email)
    secret = new.invitation.get_secret_value() if new.invitation else None
    applicant = Applicant(channel="api", address=address, invitation=secret)
    with database.transaction() as session:
        user = UserView.model_validate(join(session, limits, applicant, wanted))
    response.headers["Location"] = f"/api/v1/users/{user.id}"
    return user
