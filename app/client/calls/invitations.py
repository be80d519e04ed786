"""Made from the OpenAPI document by `make api`; not edited by hand."""

from typing import Literal
from uuid import UUID

from app.client import model
from app.client.call import Call, fill, write_body
from app.client.caller import Caller


class InvitationsCalls(Caller):
    def create_invitation(
        self,
        body: model.InvitationWish,
    ) -> model.NewInvitationView:
        """Make an invitation. Needs users:write."""
        call = Call(
            method="POST",
            path="/api/v1/invitations",
            again="unsafe",
            headers={"Content-Type": "application/json"},
            body=write_body(body),
        )
        return self._transport.read(call, model.NewInvitationView)

    def list_invitations(
        self,
        *,
        state: Literal["open", "used", "expired", "revoked"] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> model.InvitationList:
        """List invitations. Needs users:read."""
        call = Call(
            method="GET",
            path="/api/v1/invitations",
            again="safe",
            query={
                "state": state,
                "cursor": cursor,
                "limit": limit,
            },
        )
        return self._transport.read(call, model.InvitationList)

    def get_invitation(
        self,
        invitation_id: UUID | str,
    ) -> model.InvitationEntry:
        """One invitation, without its link. Needs users:read."""
        call = Call(
            method="GET",
            path=fill("/api/v1/invitations/{invitation_id}", invitation_id=invitation_id),
            again="safe",
        )
        return self._transport.read(call, model.InvitationEntry)

    def withdraw_invitation(
        self,
        invitation_id: UUID | str,
    ) -> None:
        """Revoke an invitation. Needs users:write."""
        call = Call(
            method="DELETE",
            path=fill("/api/v1/invitations/{invitation_id}", invitation_id=invitation_id),
            again="safe",
        )
        self._transport.send(call)
