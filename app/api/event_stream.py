"""Event streams of the API: each takes one of its user's seats, and ends when the token is no longer valid."""

from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated, Any

from fastapi import Depends

from app.accounts.permission import Permission, Viewer
from app.accounts.token import find_viewer_by_token
from app.api.dependency import AllLimits, Credentials, Live, needs
from app.submissions.progress import ChangeStream


def follows(right: Permission) -> Any:
    """Depend on a follower for a viewer with this permission. The stream ends when the viewer loses it."""

    async def hold_stream(
        viewer: Annotated[Viewer, needs(right)], progress: Live, limits: AllLimits, given: Credentials
    ) -> AsyncIterator[ChangeStream]:
        """Raises LimitReached before the answer starts, while it can still have a status."""
        find_viewer = partial(find_viewer_by_token, secret=given.credentials if given else "")
        with limits.streams.place(viewer.id):
            yield ChangeStream(progress=progress, find_viewer=find_viewer, right=right)

    return Depends(hold_stream)
