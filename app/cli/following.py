"""A submission followed to its verdict: what the command line and notebooks share."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from app.cli.console import errors, message, one_line
from app.client.error import ClientError

if TYPE_CHECKING:
    from app.client import model
    from app.client.client import Client
    from app.submissions.view import SubmissionView

POLL_SECONDS = 30
# Where somebody looks on, rows come in about as fast as people read.
LOOK_SECONDS = 1
# A hint may follow the verdict, and is waited for so long.
HINT_SECONDS = 20.0
AS_IT_IS: dict[str, Any] = {"markup": False, "highlight": False, "soft_wrap": True}


def follow(client: "Client", submission_id: str, poll_seconds: int) -> Iterator["SubmissionView"]:
    """How it stands: at once, then again after so many seconds at most, and last with its verdict."""
    return map(read_view, client.follow_views(submission_id, poll_seconds))


def wait_for_hint(client: "Client", view: "SubmissionView") -> "SubmissionView":
    """The verdict is known: whatever goes wrong here, or Ctrl-C, leaves it as it is."""
    deadline = time.monotonic() + HINT_SECONDS
    try:
        while view.hint_pending and time.monotonic() < deadline:
            time.sleep(1.0)
            view = read_view(client.get_submission(view.id))
    except (ClientError, KeyboardInterrupt):
        pass
    return view


def watch(client: "Client", submission_id: str) -> "SubmissionView":
    """To its end, with its hint. A terminal shows each case as its result comes in. Raises ClientError."""
    if errors.is_terminal:
        view = _watch_live(follow(client, submission_id, LOOK_SECONDS))
    else:
        view = _watch_quietly(follow(client, submission_id, POLL_SECONDS))
    if view.hint_pending:
        errors.print("Looking whether this is a known mistake …")
        view = wait_for_hint(client, view)
    return view


@contextmanager
def left_behind(client: "Client", submission_id: str) -> Iterator[None]:
    """A submission that was taken is judged, whatever becomes of who waits for it; this says where to look again."""
    try:
        yield
    except (ClientError, KeyboardInterrupt):
        page = one_line(page_of(client, submission_id))
        errors.print(f"Your submission was taken and is judged without you: {page}", **AS_IT_IS)
        name = one_line(submission_id)
        errors.print(
            f"In a terminal, `allclose show {name}` follows it and `allclose cancel {name}` stops it.", **AS_IT_IS
        )
        raise


def page_of(client: "Client", submission_id: str) -> str:
    return f"{client.server}/submissions/{submission_id}"


def _watch_live(views: Iterator["SubmissionView"]) -> "SubmissionView":
    from rich.live import Live

    from app.cli.result_text import waiting

    with Live("sent …", console=errors, transient=True) as live:
        for view in views:
            live.update(waiting(view))
    return view


def _watch_quietly(views: Iterator["SubmissionView"]) -> "SubmissionView":
    told: str | None = None
    for view in views:
        if view.notice and view.notice != told:
            errors.print(message(view.notice), **AS_IT_IS)
        told = view.notice
    return view


def read_view(view: "model.SubmissionView") -> "SubmissionView":
    """As the pages have it, whose words and pictures a terminal and a notebook show."""
    from app.submissions.view import SubmissionView

    return SubmissionView.model_validate(view.model_dump())
