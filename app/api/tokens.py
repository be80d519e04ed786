"""Bearer tokens: created with a password, listed and revoked by their owner. A token can't create another token."""

from datetime import datetime
from http import HTTPStatus
from operator import attrgetter
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field, SecretStr
from starlette.concurrency import run_in_threadpool

from app.accounts.own_account import give_up_token, sign_in_for_token
from app.accounts.permission import Permission, read_scopes
from app.accounts.sign_in import SignIn, sign_in_turn
from app.accounts.token import MAX_DAYS, MAX_NAME, Bounds, check_days, check_name, get_token, list_tokens
from app.api.dependency import AccountChanger, AccountReader, Address, AllLimits, ShortSliced, Stored, act_as
from app.api.field import ruled
from app.api.openapi import locates
from app.database.cursor import NextCursor, cut_list
from app.validation import Body

router = APIRouter(prefix="/tokens", tags=["tokens"])

Scope = Annotated[str, Field(json_schema_extra={"enum": [str(permission) for permission in Permission]})]


class TokenRequest(Body):
    """Your user name and password, a name that reminds you of the token's use, and its scopes."""

    username: str = Field(examples=["ada"])
    password: SecretStr = Field(examples=["correct horse battery"])
    name: Annotated[str, ruled(check_name)] = Field(
        "token", json_schema_extra={"maxLength": MAX_NAME, "pattern": "^[^\\u0000]*$"}, examples=["laptop"]
    )
    scopes: Annotated[list[Scope], Field(max_length=len(Permission), fail_fast=True), ruled(read_scopes)] | None = (
        Field(
            None,
            description="the permissions of the token, among yours; null: always all of yours",
            json_schema_extra={"minItems": 1},
            examples=[["submissions:read", "submissions:write"]],
        )
    )
    expires_in_days: Annotated[int, ruled(check_days)] | None = Field(
        None,
        description="the days until it expires; null: never",
        json_schema_extra={"minimum": 1, "maximum": MAX_DAYS},
        examples=[90],
    )


class TokenView(BaseModel):
    """A valid token. Allclose does not keep its secret."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    name: str
    scopes: list[str] | None = Field(description="the permissions of the token; null: all of yours")
    created_at: datetime
    expires_at: datetime | None = Field(description="null: never")
    last_used_at: datetime | None = Field(description="to the minute; null if never used")


class NewTokenView(BaseModel):
    """The only answer that ever has `token`: store it."""

    id: UUID
    name: str
    token: str = Field(examples=["alc_2pXq…"])
    scopes: list[str] | None
    created_at: datetime
    expires_at: datetime | None


class TokenList(BaseModel):
    """Valid tokens, newest first. You have at most 100."""

    items: list[TokenView]
    next: NextCursor = None


@router.post(
    "",
    status_code=HTTPStatus.CREATED,
    responses={201: locates("the token's path")},
    operation_id="create_token",
    summary="Create a token",
)
async def post_token(
    database: Stored,
    wanted: TokenRequest,
    address: Address,
    limits: AllLimits,
    response: Response,
) -> NewTokenView:
    attempt = SignIn(username=wanted.username, password=wanted.password.get_secret_value(), address=address)
    bounds = Bounds(scopes=wanted.scopes, expires_in_days=wanted.expires_in_days)

    def make() -> NewTokenView:
        with database.transaction() as session:
            new = sign_in_for_token(session, limits, attempt, wanted.name, bounds)
            return NewTokenView(
                token=new.secret, **TokenView.model_validate(new.token).model_dump(exclude={"last_used_at"})
            )

    async with sign_in_turn(limits, attempt):
        view = await run_in_threadpool(make)
    response.headers["Location"] = f"/api/v1/tokens/{view.id}"
    return view


@router.get("", operation_id="list_tokens", summary="List your valid tokens")
def get_tokens(database: Stored, viewer: AccountReader, wanted: ShortSliced) -> TokenList:
    with database.transaction() as session:
        items, following = cut_list(list_tokens(session, viewer.id), attrgetter("id"), wanted)
        return TokenList(items=[TokenView.model_validate(token) for token in items], next=following)


@router.get("/{token_id}", operation_id="get_token", summary="One of your valid tokens")
def get_own_token(database: Stored, viewer: AccountReader, token_id: UUID) -> TokenView:
    with database.transaction() as session:
        return TokenView.model_validate(get_token(session, viewer.id, token_id))


@router.delete(
    "/{token_id}",
    status_code=HTTPStatus.NO_CONTENT,
    operation_id="revoke_token",
    summary="Revoke a token",
)
def delete_token(database: Stored, viewer: AccountChanger, address: Address, token_id: UUID) -> None:
    with database.transaction() as session:
        give_up_token(session, act_as(viewer, address), viewer.user, token_id)
