"""Who am I, what have I done, and may leaderboards show me? And another e-mail or password."""

from dataclasses import dataclass, fields
from http import HTTPStatus

from fastapi import APIRouter
from pydantic import Field, SecretStr, StrictBool

from app.accounts.model import User
from app.accounts.own_account import change_own_email, change_password
from app.accounts.reauthentication import Reauthentication
from app.api.dependency import AccountChanger, AccountReader, Address, Stored, Throttles, act_as
from app.api.etag import IfMatch, require_match
from app.api.field import Email, Password
from app.api.openapi import problems
from app.api.users import UserView
from app.body import Body
from app.learning.solution import count_solved_after_seeing
from app.submissions.leaderboard import set_ranked
from app.submissions.statistics import Statistics, read_statistics

router = APIRouter(prefix="/me", tags=["users"])


NOTHING = SecretStr("")


class AccountChange(Body):
    """What is left out stays as it is. Another `email` needs the `password`."""

    is_ranked: StrictBool = Field(
        False, description="whether leaderboards show your name and how fast and lean your solutions are"
    )
    email: Email | None = Field(None, description="null: none any more", examples=["ada@example.org"])
    password: SecretStr = Field(NOTHING, description="yours of now", examples=["correct horse battery"])


class PasswordChange(Body):
    current: SecretStr = Field(examples=["correct horse battery"])
    new: Password = Field(examples=["battery staple correct"])


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnStatistics(Statistics):
    """`solved_after_seeing_the_solution` counts those among the solved problems."""

    solved_after_seeing_the_solution: int


@router.get("", responses=problems(401), summary="Who am I, and what is my role")
def get_me(viewer: AccountReader) -> UserView:
    return UserView.model_validate(viewer.user)


@router.patch(
    "",
    responses=problems(401, 403, 412, 422),
    operation_id="change_me",
    summary="Come to leaderboards, or leave them; another e-mail",
)
def patch_me(
    viewer: AccountChanger,
    address: Address,
    database: Stored,
    throttles: Throttles,
    change: AccountChange,
    if_match: IfMatch = None,
) -> UserView:
    with database.transaction() as session:
        user = session.get_one(User, viewer.id, with_for_update={"key_share": True}, populate_existing=True)
        require_match(if_match, UserView.model_validate(user))
        if "email" in change.model_fields_set:
            proof = Reauthentication(password=change.password.get_secret_value(), throttle=throttles.proofs)
            change_own_email(session, act_as(viewer, address), proof, change.email)
        if "is_ranked" in change.model_fields_set:
            set_ranked(session, viewer.id, is_ranked=change.is_ranked)
        return UserView.model_validate(session.get_one(User, viewer.id, populate_existing=True))


@router.put(
    "/password",
    status_code=HTTPStatus.NO_CONTENT,
    responses=problems(401, 403, 422),
    summary="Choose another password",
)
def change_own_password(
    viewer: AccountChanger, address: Address, database: Stored, throttles: Throttles, change: PasswordChange
) -> None:
    """All browsers are signed out; tokens go on working."""
    proof = Reauthentication(password=change.current.get_secret_value(), throttle=throttles.proofs)
    with database.transaction() as session:
        change_password(session, act_as(viewer, address), proof, change.new.get_secret_value())


@router.get("/statistics", responses=problems(401), summary="What your submissions add up to, in days of UTC")
def get_statistics(viewer: AccountReader, database: Stored) -> OwnStatistics:
    with database.transaction() as session:
        statistics = read_statistics(session, viewer.id)
        seen = count_solved_after_seeing(session, viewer.id)
    counted = {field.name: getattr(statistics, field.name) for field in fields(statistics)}
    return OwnStatistics(**counted, solved_after_seeing_the_solution=seen)
