"""What is being worked on: in every line of the log, and carried from a request to the judging that it asks for."""

from contextvars import ContextVar

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
submission_id: ContextVar[str | None] = ContextVar("submission_id", default=None)
