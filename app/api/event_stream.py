"""Answers that stay open: in one of the seats that a user has, and no longer than their token holds."""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

from fastapi import Depends

from app.accounts.permission import Permission, Viewer
from app.accounts.token import find_viewer_by_token
from app.api.dependency import Credentials, Live, Seats, Stored, needs
from app.submissions.progress import ChangeStream


def follows(right: Permission) -> Any:
    """Somebody who has this right, and keeps the answer open for as long."""

    def hold_seat(
        viewer: Annotated[Viewer, needs(right)], database: Stored, progress: Live, seats: Seats, given: Credentials
    ) -> Iterator[ChangeStream]:
        """Raises LimitReached while there is still a status to answer with."""
        find_viewer = partial(find_viewer_by_token, secret=given.credentials if given else "")
        with seats.seat(viewer.id):
            yield ChangeStream(database=database, progress=progress, find_viewer=find_viewer, right=right)

    return Depends(hold_seat)
