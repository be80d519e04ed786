"""Requests to a server, with retries where they are safe, and the errors that responses stand for.

The messages are the server's, if it sent one.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar
from uuid import uuid4

import httpx
from pydantic import BaseModel, ValidationError

from app.errors import AllcloseError

# Longer than the longest wait that the API allows.
TIMEOUT_SECONDS = 90
# The server sends a comment into a silent stream every 15 s.
SILENCE_SECONDS = 45
# The backoff before each retry, unless the server sends Retry-After.
PAUSES_SECONDS = (1.0, 2.0, 4.0)
# A longer Retry-After raises the error.
MAX_PAUSE_SECONDS = 60.0
KEY = "Idempotency-Key"
MAX_SHOWN = 200

# Whether a request can be sent again after its response was lost. `key`: yes, with the same idempotency key.
Again = Literal["safe", "key", "unsafe"]
Model = TypeVar("Model", bound=BaseModel)


class ClientError(AllcloseError):
    """The base class of the client's errors."""


class AddressUnfit(ClientError):
    """The server's address is not a valid URL."""


class Unreachable(ClientError):
    """No response arrived. The server may or may not have received the request."""


class StreamEnded(ClientError):
    """The event stream ended before its last event."""


class AnswerUnreadable(ClientError):
    """The response does not fit the API: the address is wrong, or the server has another version."""


class ServerRefused(ClientError):
    """The server answered with an error. The OpenAPI document lists the stable values of `code`."""

    def __init__(self, detail: str, *, status: int, code: str = "", retry_seconds: float | None = None) -> None:
        super().__init__(detail)
        self.status, self.code, self.retry_seconds = status, code, retry_seconds


OnRetry = Callable[[ClientError, float], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request. Query parameters that are None are not sent."""

    method: str
    path: str
    again: Again = "safe"
    query: Mapping[str, str | int | None] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None

    @property
    def parameters(self) -> dict[str, str | int]:
        return {name: value for name, value in self.query.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A server-sent event. `data` is JSON; the operation's description says of which object."""

    name: str
    data: str
    id: str | None = None


class Transport:
    """A connection to a server. `on_retry` gets each error and the seconds until the retry."""

    def __init__(self, server: str, token: str | None = None, on_retry: OnRetry | None = None) -> None:
        """Raises AddressUnfit."""
        try:
            self._http = httpx.Client(base_url=server, timeout=TIMEOUT_SECONDS)
        except (httpx.InvalidURL, ValueError) as error:
            raise AddressUnfit(f"{server} is not a valid server address ({error})") from None
        self.server = server.rstrip("/")
        self._on_retry = on_retry
        if token is not None:
            self.use_token(token)

    def use_token(self, token: str) -> None:
        """Use this token from now on."""
        self._http.headers["Authorization"] = f"Bearer {token}"

    def close(self) -> None:
        self._http.close()

    def read(self, call: Call, kind: type[Model]) -> Model:
        """Send the call, with retries, and parse the response. Raises ClientError, also for an error response."""
        response = self._send(call)
        try:
            return kind.model_validate_json(response.content)
        except ValidationError as error:
            raise _unreadable(response, error) from None

    def follow(self, call: Call) -> Iterator[Event]:
        """Yield server-sent events until the stream ends. Raises ClientError.

        Resumes a broken stream after its last event. Gives up after several failures in a row.
        """
        headers, pauses = dict(call.headers), list(PAUSES_SECONDS)
        while True:
            try:
                for event in self._follow_once(call, headers):
                    pauses = list(PAUSES_SECONDS)
                    if event.id is not None:
                        headers["Last-Event-ID"] = event.id
                    yield event
                return
            except (Unreachable, ServerRefused) as error:
                if not pauses:
                    raise
                self._pause(call, error, pauses.pop(0))

    def _send(self, call: Call) -> httpx.Response:
        headers = {**({KEY: str(uuid4())} if call.again == "key" else {}), **call.headers}
        for pause in PAUSES_SECONDS:
            try:
                return self._send_once(call, headers)
            except (Unreachable, ServerRefused) as error:
                self._pause(call, error, pause)
        return self._send_once(call, headers)

    def _send_once(self, call: Call, headers: Mapping[str, str]) -> httpx.Response:
        try:
            response = self._http.request(
                call.method, call.path, params=call.parameters, headers=headers, content=call.body
            )
        except httpx.HTTPError as error:
            raise self._unreachable(error) from None
        if not response.is_success:
            raise _refusal(response)
        return response

    def _follow_once(self, call: Call, headers: Mapping[str, str]) -> Iterator[Event]:
        timeout = httpx.Timeout(TIMEOUT_SECONDS, read=SILENCE_SECONDS)
        try:
            with self._http.stream(
                call.method, call.path, params=call.parameters, headers=headers, timeout=timeout
            ) as response:
                if response.is_error:
                    response.read()
                    raise _refusal(response)
                yield from _read_events(response.iter_lines())
        except httpx.HTTPError as error:
            raise self._unreachable(error) from None

    def _pause(self, call: Call, error: Unreachable | ServerRefused, pause: float) -> None:
        """Wait before a retry. Raises the error if a retry is unsafe, pointless or too far away."""
        asked = error.retry_seconds if isinstance(error, ServerRefused) else None
        seconds = pause if asked is None else asked
        if not _can_retry(call, error) or seconds > MAX_PAUSE_SECONDS:
            raise error
        if self._on_retry is not None:
            self._on_retry(error, seconds)
        time.sleep(seconds)

    def _unreachable(self, error: httpx.HTTPError) -> Unreachable:
        return Unreachable(f"{self.server} can't be reached ({error}); is the server running there?")


def _can_retry(call: Call, error: ClientError) -> bool:
    """A 429 has had no effect on the server. A request whose response was lost may have had one."""
    status = error.status if isinstance(error, ServerRefused) else None
    if status == httpx.codes.TOO_MANY_REQUESTS:
        return True
    return status in (None, httpx.codes.SERVICE_UNAVAILABLE) and call.again != "unsafe"


def _refusal(response: httpx.Response) -> ServerRefused:
    """Return the error of a response, from its problem details or else from its status and text."""
    try:
        problem = response.json()
        detail = str(problem.get("detail") or problem["title"])
        code = str(problem.get("code", ""))
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        detail, code = f"{response.url} answered {response.status_code}: {response.text[:MAX_SHOWN]}", ""
    wait = response.headers.get("Retry-After", "")
    seconds = float(wait) if wait.isdecimal() else None
    return ServerRefused(detail, status=response.status_code, code=code, retry_seconds=seconds)


def _unreadable(response: httpx.Response, error: ValidationError) -> AnswerUnreadable:
    first: Any = error.errors()[0]
    if first["type"] in ("json_invalid", "model_type"):
        return AnswerUnreadable(f"{response.url} is not part of the Allclose API; is the address right?")
    where = ".".join(map(str, first["loc"]))
    return AnswerUnreadable(
        f"the server's response can't be read ({where}: {first['msg']}); has it the same version as this Allclose?"
    )


def _read_events(lines: Iterable[str]) -> Iterator[Event]:
    """Parse events. An event without its final blank line is incomplete and dropped."""
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            fields[name] = f"{fields[name]}\n{value}" if name == "data" and name in fields else value
        elif "data" in fields:
            yield Event(name=fields.get("event", "message"), data=fields["data"], id=fields.get("id"))
            fields = {}
