"""Made from the OpenAPI document by `make api`; not edited by hand."""

from uuid import UUID

from app.client import model
from app.client.call import Call, fill, write_body
from app.client.caller import Caller


class TokensCalls(Caller):
    def create_token(
        self,
        body: model.TokenRequest,
    ) -> model.NewTokenView:
        """Create a token."""
        call = Call(
            method="POST",
            path="/api/v1/tokens",
            again="unsafe",
            headers={"Content-Type": "application/json"},
            body=write_body(body),
        )
        return self._transport.read(call, model.NewTokenView)

    def list_tokens(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> model.TokenList:
        """List your valid tokens. Needs account:read."""
        call = Call(
            method="GET",
            path="/api/v1/tokens",
            again="safe",
            query={
                "cursor": cursor,
                "limit": limit,
            },
        )
        return self._transport.read(call, model.TokenList)

    def get_token(
        self,
        token_id: UUID | str,
    ) -> model.TokenView:
        """One of your valid tokens. Needs account:read."""
        call = Call(
            method="GET",
            path=fill("/api/v1/tokens/{token_id}", token_id=token_id),
            again="safe",
        )
        return self._transport.read(call, model.TokenView)

    def revoke_token(
        self,
        token_id: UUID | str,
    ) -> None:
        """Revoke a token. Needs account:write."""
        call = Call(
            method="DELETE",
            path=fill("/api/v1/tokens/{token_id}", token_id=token_id),
            again="safe",
        )
        self._transport.send(call)
