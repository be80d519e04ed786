"""Your own account: who you are, your statistics, and changing your e-mail, password or place on leaderboards."""

from dataclasses import dataclass, fields
from http import HTTPStatus

from fastapi import APIRouter
from pydantic import Field, SecretStr, StrictBool

from app.accounts.model import User
from app.accounts.own_account import change_own_email, change_password
from app.accounts.reauthentication import Reauthentication
from app.api.dependency import AccountChanger, AccountReader, Address, AllLimits, Stored, act_as
from app.api.field import Email, Password
from app.api.users import UserView
from app.learning.solution import count_solved_after_seeing
from app.submissions.leaderboard import set_ranked
from app.submissions.statistics import Statistics, read_statistics
from app.validation import Body

router = APIRouter(prefix="/me", tags=["users"])


NOTHING = SecretStr("")


class AccountChange(Body):
    """A field that you leave out stays as it is. Changing `email` needs the `password`."""

    is_ranked: StrictBool = Field(
        False, description="whether leaderboards show your name and your solutions' time and memory"
    )
    email: Email | None = Field(None, description="null: remove it", examples=["ada@example.org"])
    password: SecretStr = Field(NOTHING, description="your current password", examples=["correct horse battery"])


class PasswordChange(Body):
    current: SecretStr = Field(examples=["correct horse battery"])
    new: Password = Field(examples=["battery staple correct"])


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnStatistics(Statistics):
    """`solved_after_seeing_the_solution` counts problems that are also in the solved ones."""

    solved_after_seeing_the_solution: int


@router.get("", summary="Your account and role")
def get_me(viewer: AccountReader) -> UserView:
    return UserView.model_validate(viewer.user)


@router.patch(
    "",
    operation_id="change_me",
    summary="Join or leave leaderboards, or change your e-mail",
)
def patch_me(
    viewer: AccountChanger,
    address: Address,
    database: Stored,
    limits: AllLimits,
    change: AccountChange,
) -> UserView:
    with database.transaction() as session:
        if "email" in change.model_fields_set:
            reauthentication = Reauthentication(
                password=change.password.get_secret_value(), limit=limits.reauthentications
            )
            change_own_email(session, act_as(viewer, address), reauthentication, change.email)
        if "is_ranked" in change.model_fields_set:
            set_ranked(session, viewer.id, is_ranked=change.is_ranked)
        return UserView.model_validate(session.get_one(User, viewer.id, populate_existing=True))


@router.put(
    "/password",
    status_code=HTTPStatus.NO_CONTENT,
    summary="Change your password",
)
def change_own_password(
    viewer: AccountChanger, address: Address, database: Stored, limits: AllLimits, change: PasswordChange
) -> None:
    """This signs you out in all browsers. Tokens stay valid."""
    reauthentication = Reauthentication(password=change.current.get_secret_value(), limit=limits.reauthentications)
    with database.transaction() as session:
        change_password(session, act_as(viewer, address), reauthentication, change.new.get_secret_value())


@router.get("/statistics", summary="Statistics of your submissions, with days in UTC")
def get_statistics(viewer: AccountReader, database: Stored) -> OwnStatistics:
    with database.transaction() as session:
        statistics = read_statistics(session, viewer.id)
        seen = count_solved_after_seeing(session, viewer.id)
    counted = {field.name: getattr(statistics, field.name) for field in fields(statistics)}
    return OwnStatistics(**counted, solved_after_seeing_the_solution=seen)
