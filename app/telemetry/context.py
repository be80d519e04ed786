"""What is being worked on: in every line of the log, and carried from a request to the judging that it asks for.

A thread begins without any of it, so whoever starts one for a judging says there whose it is (`app.worker.metrics`).
"""

import re
from contextvars import ContextVar
from dataclasses import dataclass
from uuid import UUID, uuid4

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
submission_id: ContextVar[str | None] = ContextVar("submission_id", default=None)
judging_id: ContextVar[int | None] = ContextVar("judging_id", default=None)
attempt: ContextVar[int | None] = ContextVar("attempt", default=None)
# The one that was used last: what is said after a run is about it too.
box: ContextVar[str | None] = ContextVar("box", default=None)

_REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(slots=True)
class Found:
    """What is found out while a request is served: one object for all its threads, whose own variables end with them.

    `user_id`: who asks. `submission_id`: what it is about, or what it made.
    """

    user_id: str | None = None
    submission_id: str | None = None


found: ContextVar[Found | None] = ContextVar("found", default=None)


def note_user(user_id: UUID) -> None:
    current = found.get()
    if current is not None:
        current.user_id = str(user_id)


def note_submission(submission: UUID | str) -> None:
    current = found.get()
    if current is not None:
        current.submission_id = str(submission)


def read_request_id(told: str | None) -> str:
    """What the client or a proxy calls the request, where that is a plain word; otherwise a name of our own."""
    return told if told is not None and _REQUEST_ID.fullmatch(told) else uuid4().hex


def current_fields() -> dict[str, str | int]:
    """What is known of it, by the names that the log has."""
    noted = found.get() or Found()
    fields = {
        "request_id": request_id.get(),
        "user_id": noted.user_id,
        "submission_id": submission_id.get() or noted.submission_id,
        "judging_id": judging_id.get(),
        "attempt": attempt.get(),
        "box": box.get(),
    }
    return {name: value for name, value in fields.items() if value is not None}
