"""Made from the OpenAPI document by `make api`; not edited by hand."""

from uuid import UUID

from app.client import model
from app.client.call import Call, fill
from app.client.caller import Caller


class SessionsCalls(Caller):
    def list_own_sessions(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> model.SessionList:
        """List the browsers in which you are signed in. Needs account:read."""
        call = Call(
            method="GET",
            path="/api/v1/sessions",
            again="safe",
            query={
                "cursor": cursor,
                "limit": limit,
            },
        )
        return self._transport.read(call, model.SessionList)

    def end_own_sessions(
        self,
    ) -> None:
        """Sign out all browsers. Needs account:write."""
        call = Call(
            method="DELETE",
            path="/api/v1/sessions",
            again="safe",
        )
        self._transport.send(call)

    def end_own_session(
        self,
        session_id: UUID | str,
    ) -> None:
        """Sign out one browser. Needs account:write."""
        call = Call(
            method="DELETE",
            path=fill("/api/v1/sessions/{session_id}", session_id=session_id),
            again="safe",
        )
        self._transport.send(call)
