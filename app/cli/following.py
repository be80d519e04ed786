"""A submission followed to its verdict: what the command line and notebooks share."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from app.cli.console import errors
from app.cli.plain import message, one_line
from app.cli.remote import POLL_SECONDS, ServerRefused, call, insist, server_of

if TYPE_CHECKING:
    import httpx

    from app.submissions.view import SubmissionView

# Where somebody looks on, rows come in about as fast as people read.
LOOK_SECONDS = 1
# A hint may follow the verdict, and is waited for so long.
HINT_SECONDS = 20.0
AS_IT_IS: dict[str, Any] = {"markup": False, "highlight": False, "soft_wrap": True}


def follow(client: "httpx.Client", submission_id: str, poll_seconds: int) -> Iterator["SubmissionView"]:
    """How it stands: at once, then again after so many seconds at most, and last with its verdict."""
    view = read_view(insist(client, "GET", path_of(submission_id)))
    yield view
    while view.state != "done":
        view = read_view(insist(client, "GET", path_of(submission_id), params={"wait": poll_seconds}))
        yield view


def wait_for_hint(client: "httpx.Client", view: "SubmissionView") -> "SubmissionView":
    """The verdict is known: whatever goes wrong here, or Ctrl-C, leaves it as it is."""
    deadline = time.monotonic() + HINT_SECONDS
    try:
        while view.hint_pending and time.monotonic() < deadline:
            time.sleep(1.0)
            view = read_view(call(client, "GET", path_of(str(view.id))))
    except (ServerRefused, KeyboardInterrupt):
        pass
    return view


def watch(client: "httpx.Client", submission_id: str) -> "SubmissionView":
    """To its end, with its hint. A terminal shows each case as its result comes in. Raises ServerRefused."""
    if errors.is_terminal:
        view = _watch_live(follow(client, submission_id, LOOK_SECONDS))
    else:
        view = _watch_quietly(follow(client, submission_id, POLL_SECONDS))
    if view.hint_pending:
        errors.print("Looking whether this is a known mistake …")
        view = wait_for_hint(client, view)
    return view


@contextmanager
def left_behind(client: "httpx.Client", submission_id: str) -> Iterator[None]:
    """A submission that was taken is judged, whatever becomes of who waits for it; this says where to look again."""
    try:
        yield
    except (ServerRefused, KeyboardInterrupt):
        page = one_line(page_of(client, submission_id))
        errors.print(f"Your submission was taken and is judged without you: {page}", **AS_IT_IS)
        name = one_line(submission_id)
        errors.print(
            f"In a terminal, `allclose show {name}` follows it and `allclose cancel {name}` stops it.", **AS_IT_IS
        )
        raise


def page_of(client: "httpx.Client", submission_id: str) -> str:
    return server_of(client) + path_of(submission_id)


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


def read_view(body: dict[str, Any]) -> "SubmissionView":
    """Raises ServerRefused."""
    from pydantic import ValidationError

    from app.submissions.view import SubmissionView

    try:
        return SubmissionView.model_validate(body)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise ServerRefused(
            f"the server's answer can't be read ({field}: {first['msg']}); is it of the same version as this Allclose?"
        ) from None


def path_of(submission_id: str) -> str:
    return f"/submissions/{quote(submission_id, safe='-')}"
