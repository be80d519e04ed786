"""Bearer tokens: got with a password, listed and revoked by their owner."""

from datetime import datetime
from http import HTTPStatus
from uuid import UUID

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field, SecretStr

from app.accounts.sign_in import SignIn, sign_in
from app.accounts.token import MAX_NAME, create_token, list_tokens, revoke_token
from app.api.dependency import AccountChanger, AccountReader, Address, Stored, Throttles, limit_address
from app.api.openapi import problems

router = APIRouter(prefix="/tokens", tags=["tokens"])


class TokenRequest(BaseModel):
    """User name and password, and a name that reminds you of the token's use."""

    model_config = ConfigDict(extra="forbid")

    username: str = Field(examples=["ada"])
    password: SecretStr = Field(examples=["correct horse battery"])
    name: str = Field(
        "token", json_schema_extra={"maxLength": MAX_NAME, "pattern": "^[^\\u0000]*$"}, examples=["laptop"]
    )


class TokenView(BaseModel):
    """A token that works; its secret is not kept."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    name: str
    created_at: datetime
    last_used_at: datetime | None = Field(description="to the minute; null when never used")


class NewTokenView(BaseModel):
    """The only answer that ever holds `token`: keep it."""

    id: UUID
    name: str
    token: str = Field(examples=["alc_2pXq…"])
    created_at: datetime


class TokenList(BaseModel):
    items: list[TokenView]


@router.post(
    "",
    status_code=HTTPStatus.CREATED,
    responses=problems(401, 422),
    dependencies=[Depends(limit_address)],
    summary="Get a token",
)
def post_token(
    database: Stored,
    wanted: TokenRequest,
    address: Address,
    throttles: Throttles,
) -> NewTokenView:
    attempt = SignIn(username=wanted.username, password=wanted.password.get_secret_value(), address=address)
    with database.transaction() as session:
        new = create_token(session, sign_in(session, throttles, attempt).id, wanted.name)
    return NewTokenView(id=new.token.id, name=new.token.name, token=new.secret, created_at=new.token.created_at)


@router.get("", responses=problems(401), summary="List your tokens that work")
def get_tokens(database: Stored, viewer: AccountReader) -> TokenList:
    with database.transaction() as session:
        return TokenList(items=[TokenView.model_validate(token) for token in list_tokens(session, viewer.id)])


@router.delete(
    "/{token_id}", status_code=HTTPStatus.NO_CONTENT, responses=problems(401, 404, 422), summary="Revoke a token"
)
def delete_token(database: Stored, viewer: AccountChanger, token_id: UUID) -> None:
    with database.transaction() as session:
        revoke_token(session, viewer.id, token_id)
