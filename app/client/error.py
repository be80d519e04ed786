"""What can go wrong with a server. Every text says what was wrong, in the server's words where it had some."""

from dataclasses import dataclass


class ClientError(Exception):
    """Base of all."""


class AddressUnfit(ClientError):
    """What was given as a server's address is none."""


class Unreachable(ClientError):
    """No answer came, and whether the request arrived is not known."""


class AnswerUnreadable(ClientError):
    """An answer that the API does not give: another address, or a server of another version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """One thing that is wrong with a request; `file` and `line` of a package."""

    field: str
    message: str
    file: str | None = None
    line: int | None = None
    remedy: str | None = None


class ServerRefused(ClientError):
    """The server answered with an error. Its `code` keeps its meaning; docs/api.md lists them."""

    def __init__(self, detail: str, *, status: int, code: str = "", errors: tuple[Wrong, ...] = ()) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.errors = errors
        self.request_id: str | None = None
        self.retry_seconds: float | None = None


class NotSignedIn(ServerRefused):
    """401: there is no token, or not one that works."""


class Forbidden(ServerRefused):
    """403: a right is missing."""


class NotFound(ServerRefused):
    """404."""


class Conflict(ServerRefused):
    """409."""


class Outdated(ServerRefused):
    """412: it has changed since it was read."""


class Invalid(ServerRefused):
    """422: `errors` names the fields."""


class TooOften(ServerRefused):
    """429, after waiting: too many requests, or a quota is used up."""


class ServerFailed(ServerRefused):
    """5xx, after trying again where that is safe."""


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
