"""Sending requests, with retries where they are safe."""

import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar
from uuid import uuid4

import httpx
from pydantic import BaseModel, ValidationError

from app.client.call import Call, refusal
from app.client.error import AddressUnfit, AnswerUnreadable, ClientError, ServerRefused, Unreachable
from app.client.event import Event, read_events

# Longer than the longest wait that the API allows.
TIMEOUT_SECONDS = 90
# The server sends a comment into a silent stream every 15 s.
SILENCE_SECONDS = 45
# The backoff before each retry, unless the server sends Retry-After.
PAUSES_SECONDS = (1.0, 2.0, 4.0)
# A longer Retry-After raises the error.
MAX_PAUSE_SECONDS = 60.0
KEY = "Idempotency-Key"

OnRetry = Callable[[ClientError, float], None]
Model = TypeVar("Model", bound=BaseModel)


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
        """Send the call and parse the response. Raises ClientError."""
        response = self.send(call)
        try:
            return kind.model_validate_json(response.content)
        except ValidationError as error:
            raise _unreadable(response, error) from None

    def send(self, call: Call) -> httpx.Response:
        """Send the call, with retries. Raises ClientError, also for an error response."""
        headers = call.given_headers()
        if call.again == "key":
            headers.setdefault(KEY, str(uuid4()))
        for pause in PAUSES_SECONDS:
            try:
                return self._send_once(call, headers)
            except (Unreachable, ServerRefused) as error:
                self._pause(call, error, pause)
        return self._send_once(call, headers)

    def follow(self, call: Call) -> Iterator[Event]:
        """Yield server-sent events until the stream ends. Raises ClientError.

        Resumes a broken stream after its last event. Gives up after several failures in a row.
        """
        headers, pauses = call.given_headers(), list(PAUSES_SECONDS)
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

    def _follow_once(self, call: Call, headers: dict[str, str]) -> Iterator[Event]:
        try:
            timeout = httpx.Timeout(TIMEOUT_SECONDS, read=SILENCE_SECONDS)
            query = call.given_query()
            with self._http.stream(call.method, call.path, params=query, headers=headers, timeout=timeout) as response:
                if response.is_error:
                    response.read()
                    raise refusal(response)
                yield from read_events(response.iter_lines())
        except httpx.HTTPError as error:
            raise self._unreachable(error) from None

    def _send_once(self, call: Call, headers: dict[str, str]) -> httpx.Response:
        request = self._http.build_request(
            call.method, call.path, params=call.given_query(), headers=headers, content=call.body
        )
        try:
            response = self._http.send(request)
        except httpx.HTTPError as error:
            raise self._unreachable(error) from None
        if not response.is_success:
            raise refusal(response)
        return response

    def _pause(self, call: Call, error: Unreachable | ServerRefused, pause: float) -> None:
        """Wait before a retry. Raises the error if a retry is unsafe, pointless or too far away."""
        seconds = getattr(error, "retry_seconds", None)
        seconds = pause if seconds is None else seconds
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


def _unreadable(response: httpx.Response, error: ValidationError) -> AnswerUnreadable:
    first: Any = error.errors()[0]
    if first["type"] in ("json_invalid", "model_type"):
        return AnswerUnreadable(f"{response.url} is not part of the Allclose API; is the address right?")
    field = ".".join(map(str, first["loc"]))
    return AnswerUnreadable(
        f"the server's response can't be read ({field}: {first['msg']}); has it the same version as this Allclose?"
    )
