"""The log: lines of text or JSON objects, each with the fields of its context: request, user, submission, judging, box.

Code logs through the standard library; entry points call `configure_log` once. Text from users can't fake a log line:
control characters are escaped, and the further lines of an error are indented.

A request's ID travels to its judging in the judging's row. A new thread starts without a context, so code that starts a
thread for a judging sets it there (`app.worker.telemetry`).
"""

import logging
import re
import sys
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal
from uuid import UUID, uuid4

from pythonjsonlogger.json import JsonFormatter

LogFormat = Literal["text", "json"]
LogLevel = Literal["debug", "info", "warning", "error"]

# Libraries that log every step.
_VERBOSE = ("alembic", "urllib3", "docker", "httpx", "httpcore", "asyncio", "uvicorn")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
# Tokens should never be logged. If one is, its secret is masked.
_SECRET = re.compile(r"\balc_[A-Za-z0-9_-]+|(?<=Bearer )[A-Za-z0-9._~+/-]+=*")
_REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
submission_id: ContextVar[str | None] = ContextVar("submission_id", default=None)
judging_id: ContextVar[int | None] = ContextVar("judging_id", default=None)
attempt: ContextVar[int | None] = ContextVar("attempt", default=None)
# The box that was used last, since log lines after a run are about it too.
box: ContextVar[str | None] = ContextVar("box", default=None)


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


def configure_log(kind: LogFormat, level: LogLevel, process: str) -> None:
    """Log to standard error. `process` is serve or worker."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines(process) if kind == "json" else TextLines(process))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    for name in _VERBOSE:
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLogger().level))


class TextLines(logging.Formatter):
    """Lines like `time level process logger: message [field=value …]`. Extra values go only into JSON."""

    def __init__(self, process: str) -> None:
        super().__init__(f"%(asctime)s %(levelname)s {process} %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        # Another handler may have cached the error's text without indentation.
        record.exc_text = None
        return super().format(record)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        line = spelled(hidden(super().formatMessage(record)))
        fields = " ".join(f"{name}={spelled(str(value))}" for name, value in current_fields().items())
        return f"{line} [{fields}]" if fields else line

    def formatException(self, ei: Any) -> str:  # noqa: N802
        """Indent the error, so that none of its lines looks like a log line."""
        lines = hidden(super().formatException(ei)).split("\n")
        return "\n".join("    " + spelled(line) for line in lines)


class JsonLines(JsonFormatter):
    """JSON objects with `time`, `level`, `process`, `logger`, `message`, perhaps `error`, and the context fields."""

    def __init__(self, process: str) -> None:
        super().__init__("%(message)s", rename_fields={"exc_info": "error"})
        self._process = process

    def add_fields(self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]) -> None:
        log_data["time"] = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        log_data |= {"level": record.levelname.lower(), "process": self._process, "logger": record.name}
        log_data |= current_fields()
        super().add_fields(log_data, record, message_dict)
        log_data["message"] = hidden(str(log_data.get("message", "")))

    def formatException(self, ei: Any) -> str:  # noqa: N802
        text = super().formatException(ei)
        return hidden(text if isinstance(text, str) else "\n".join(text))


def hidden(text: str) -> str:
    """Mask the secrets of tokens."""
    return _SECRET.sub("…", text)


def spelled(text: str) -> str:
    """Escape control characters, so that the text is one line."""
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
