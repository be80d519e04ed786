"""The client's errors. Messages are the server's, if it sent one."""

from dataclasses import dataclass


class ClientError(Exception):
    """The base class of the client's errors."""


class AddressUnfit(ClientError):
    """The server's address is not a valid URL."""


class Unreachable(ClientError):
    """No response arrived. The server may or may not have received the request."""


class StreamEnded(ClientError):
    """The event stream ended before its last event."""


class AnswerUnreadable(ClientError):
    """The response does not fit the API: the address is wrong, or the server has another version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """One fault of a request. `file` and `line` are for faults of a package."""

    field: str
    message: str
    file: str | None = None
    line: int | None = None
    remedy: str | None = None


class ServerRefused(ClientError):
    """The server answered with an error. The OpenAPI document lists the stable values of `code`."""

    def __init__(self, detail: str, *, status: int, code: str = "", errors: tuple[Wrong, ...] = ()) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.errors = errors
        self.request_id: str | None = None
        self.retry_seconds: float | None = None


class NotSignedIn(ServerRefused):
    """401: the token is missing or not valid."""


class Forbidden(ServerRefused):
    """403: the user or the token lacks a right."""


class NotFound(ServerRefused):
    """404."""


class Conflict(ServerRefused):
    """409."""


class Outdated(ServerRefused):
    """412: the object has changed since you read it."""


class Invalid(ServerRefused):
    """422: a value is not valid. `errors` names the fields."""


class TooOften(ServerRefused):
    """429, after retries: too many requests, or a quota is used up."""


class ServerFailed(ServerRefused):
    """5xx, after retries if they are safe."""


KINDS: dict[int, type[ServerRefused]] = {
    401: NotSignedIn,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    412: Outdated,
    422: Invalid,
    429: TooOften,
}


def kind_of(status: int) -> type[ServerRefused]:
    return KINDS.get(status, ServerFailed if status >= 500 else ServerRefused)
