"""The context of log lines: request, user, submission, judging and box.

A request's ID travels to its judging in the judging's row. A new thread starts without a context, so code that starts a
thread for a judging sets it there (`app.worker.metrics`).
"""

import re
from contextvars import ContextVar
from dataclasses import dataclass
from uuid import UUID, uuid4

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
submission_id: ContextVar[str | None] = ContextVar("submission_id", default=None)
judging_id: ContextVar[int | None] = ContextVar("judging_id", default=None)
attempt: ContextVar[int | None] = ContextVar("attempt", default=None)
# The box that was used last, since log lines after a run are about it too.
box: ContextVar[str | None] = ContextVar("box", default=None)

_REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(slots=True)
class Found:
    """Facts learned while a request is served. One object serves all of the request's threads.

    `user_id`: the user who sent the request. `submission_id`: the submission that it reads or creates.
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


def read_request_id(header: str | None) -> str:
    """Return the client's or proxy's request ID if it is well-formed, otherwise a new one."""
    return header if header is not None and _REQUEST_ID.fullmatch(header) else uuid4().hex


def current_fields() -> dict[str, str | int]:
    """Return the known fields by their names in the log."""
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
