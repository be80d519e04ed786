"""Following a submission to its verdict, for the command line and notebooks."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from app.cli.console import errors, message, one_line
from app.cli.transport import ClientError, ServerRefused

if TYPE_CHECKING:
    from app.cli.client import Client
    from app.submissions.view import SubmissionView

POLL_SECONDS = 30
# In a terminal or notebook where the event stream does not arrive.
LIVE_POLL_SECONDS = 5
# The longest wait for a hint, which may come after the verdict.
HINT_SECONDS = 20.0
PLAIN: dict[str, Any] = {"markup": False, "highlight": False, "soft_wrap": True}


def follow(client: "Client", submission_id: str, poll_seconds: int) -> Iterator["SubmissionView"]:
    """Yield the submission at once, then at least every `poll_seconds`, and last with its verdict."""
    return client.follow_views(submission_id, poll_seconds)


def follow_live(client: "Client", submission_id: str) -> Iterator["SubmissionView"]:
    """Yield the submission at once, then whenever it changes, and last with its verdict. Raises ClientError.

    Without the event stream it asks every few seconds. A proxy may keep streams back, and a user may have few of them.
    """
    try:
        yield from client.stream_views(submission_id)
    except ClientError as error:
        if isinstance(error, ServerRefused) and error.status in (HTTPStatus.NOT_FOUND, HTTPStatus.UNAUTHORIZED):
            raise
        errors.print(f"No live view: {error}. Asking every {LIVE_POLL_SECONDS} s instead.", **PLAIN)
        yield from follow(client, submission_id, LIVE_POLL_SECONDS)


def wait_for_hint(client: "Client", view: "SubmissionView") -> "SubmissionView":
    """Wait for the hint. An error or Ctrl-C returns the view without one, because the verdict is known."""
    deadline = time.monotonic() + HINT_SECONDS
    try:
        while view.hint_pending and not view.hint and time.monotonic() < deadline:
            time.sleep(1.0)
            view = client.get_submission(view.id)
    except (ClientError, KeyboardInterrupt):
        pass
    return view


def watch(client: "Client", submission_id: str) -> "SubmissionView":
    """Wait for the verdict and the hint. A terminal shows each case's result as it arrives. Raises ClientError."""
    if errors.is_terminal:
        view = _watch_live(follow_live(client, submission_id))
    else:
        view = _watch_quietly(follow(client, submission_id, POLL_SECONDS))
    if view.hint_pending and not view.hint:
        errors.print("Checking for known mistakes …")
        view = wait_for_hint(client, view)
    return view


@contextmanager
def explain_interruption(client: "Client", submission_id: str) -> Iterator[None]:
    """After an error or Ctrl-C, tell the user where the submission is: the server keeps judging it."""
    try:
        yield
    except (ClientError, KeyboardInterrupt):
        page = one_line(page_of(client, submission_id))
        errors.print(f"The server has your submission and keeps judging it: {page}", **PLAIN)
        name = one_line(submission_id)
        errors.print(
            f"In a terminal, `allclose show {name}` follows it and `allclose cancel {name}` stops it.", **PLAIN
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
    printed: str | None = None
    for view in views:
        if view.notice and view.notice != printed:
            errors.print(message(view.notice), **PLAIN)
        printed = view.notice
    return view
