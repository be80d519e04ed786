"""Event streams of pages, limited in number for each user. A stream ends with the user's session."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from app.accounts.permission import Permission, Viewer
from app.accounts.session import find_viewer_by_session
from app.api.request_state import get_limits, get_progress
from app.submissions.progress import ChangeStream
from app.web.cookie import find_secret
from app.web.visit import Visit


@contextmanager
def hold_seat(visit: Visit, viewer: Viewer, right: Permission) -> Iterator[ChangeStream]:
    """Hold one of the user's streams during the block. Raises LimitReached."""
    request = visit.request
    find_viewer = partial(find_viewer_by_session, secret=find_secret(request))
    with get_limits(request).streams.place(viewer.id):
        yield ChangeStream(progress=get_progress(request), find_viewer=find_viewer, right=right)
