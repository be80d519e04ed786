"""Made from the OpenAPI document by `make api`; not edited by hand."""

from app.client import model
from app.client.call import Call, fill
from app.client.caller import Caller


class TracksCalls(Caller):
    def list_tracks(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> model.TrackList:
        """List tracks. Needs problems:read, or no token."""
        call = Call(
            method="GET",
            path="/api/v1/tracks",
            again="safe",
            query={
                "cursor": cursor,
                "limit": limit,
            },
        )
        return self._transport.read(call, model.TrackList)

    def get_track(
        self,
        track: str,
    ) -> model.TrackDetail:
        """One track: its problems in order, and the next one to solve. Needs problems:read, or no token."""
        call = Call(
            method="GET",
            path=fill("/api/v1/tracks/{track}", track=track),
            again="safe",
        )
        return self._transport.read(call, model.TrackDetail)
