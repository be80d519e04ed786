"""Sending a call: once more where that is safe and worth it, and without a body that is known already."""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, TypeVar
from uuid import uuid4

import httpx
from pydantic import ValidationError

from app.client.answer import Answer
from app.client.call import Call, refusal
from app.client.error import AddressUnfit, AnswerUnreadable, ClientError, ServerRefused, Unreachable
from app.client.event import Event, read_events

# Longer than any wait that the API offers.
TIMEOUT_SECONDS = 90
# Before each further try, where the server names no time; one that it names and that is longer is left to the caller.
PAUSES_SECONDS = (1.0, 2.0, 4.0)
LONGEST_PAUSE_SECONDS = 60.0
KEPT_ANSWERS = 64
KEY = "Idempotency-Key"

OnRetry = Callable[[ClientError, float], None]
Model = TypeVar("Model", bound=Answer)


class Transport:
    """`on_retry` is told what went wrong and how many seconds are waited before the next try."""

    def __init__(self, server: str, token: str | None = None, on_retry: OnRetry | None = None) -> None:
        """Raises AddressUnfit."""
        try:
            self._http = httpx.Client(base_url=server, timeout=TIMEOUT_SECONDS)
        except (httpx.InvalidURL, ValueError) as error:
            raise AddressUnfit(f"{server} is no address of a server ({error})") from None
        self.server = server.rstrip("/")
        self._on_retry = on_retry
        self._kept: OrderedDict[str, httpx.Response] = OrderedDict()
        if token is not None:
            self.use_token(token)

    def use_token(self, token: str) -> None:
        """From now on, and for nothing that was kept before."""
        self._kept.clear()
        self._http.headers["Authorization"] = f"Bearer {token}"

    def close(self) -> None:
        self._http.close()

    def read(self, call: Call, kind: type[Model]) -> Model:
        """The answer as an object. Raises ClientError."""
        response = self.send(call)
        try:
            answer = kind.model_validate_json(response.content)
        except ValidationError as error:
            raise _unreadable(response, error) from None
        answer._etag = response.headers.get("ETag")
        return answer

    def send(self, call: Call) -> httpx.Response:
        """An answer that is none of an error. Raises ClientError."""
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
        """Server-sent events until the stream ends; where it breaks off, it is taken up again. Raises ClientError."""
        headers = call.given_headers()
        for pause in (*PAUSES_SECONDS, None):
            try:
                for event in self._follow_once(call, headers):
                    if event.id is not None:
                        headers["Last-Event-ID"] = event.id
                    yield event
                return
            except (Unreachable, ServerRefused) as error:
                if pause is None:
                    raise
                self._pause(call, error, pause)

    def _follow_once(self, call: Call, headers: dict[str, str]) -> Iterator[Event]:
        try:
            with self._http.stream(call.method, call.path, params=call.given_query(), headers=headers) as response:
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
        kept = self._kept.get(str(request.url)) if call.method == "GET" else None
        if kept is not None:
            request.headers["If-None-Match"] = kept.headers["ETag"]
        try:
            response = self._http.send(request)
        except httpx.HTTPError as error:
            raise self._unreachable(error) from None
        if kept is not None and response.status_code == httpx.codes.NOT_MODIFIED:
            return kept
        if not response.is_success:
            raise refusal(response)
        self._keep(response)
        return response

    def _keep(self, response: httpx.Response) -> None:
        if response.request.method == "GET" and "ETag" in response.headers:
            self._kept[str(response.request.url)] = response
            if len(self._kept) > KEPT_ANSWERS:
                self._kept.popitem(last=False)

    def _pause(self, call: Call, error: Unreachable | ServerRefused, pause: float) -> None:
        """Raises the error where another try is not safe, not worth it, or too far away."""
        seconds = getattr(error, "retry_seconds", None)
        seconds = pause if seconds is None else seconds
        if not _is_worth_another_try(call, error) or seconds > LONGEST_PAUSE_SECONDS:
            raise error
        if self._on_retry is not None:
            self._on_retry(error, seconds)
        time.sleep(seconds)

    def _unreachable(self, error: httpx.HTTPError) -> Unreachable:
        return Unreachable(f"{self.server} can't be reached ({error}); is the server running there?")


def _is_worth_another_try(call: Call, error: ClientError) -> bool:
    """What was refused for its pace has done nothing yet; what got lost may have."""
    status = error.status if isinstance(error, ServerRefused) else None
    if status == httpx.codes.TOO_MANY_REQUESTS:
        return True
    return status in (None, httpx.codes.SERVICE_UNAVAILABLE) and call.again != "unsafe"


def _unreadable(response: httpx.Response, error: ValidationError) -> AnswerUnreadable:
    first: Any = error.errors()[0]
    if first["type"] in ("json_invalid", "model_type"):
        return AnswerUnreadable(f"{response.url} is no page of the Allclose API; is the address right?")
    field = ".".join(map(str, first["loc"]))
    return AnswerUnreadable(
        f"the server's answer can't be read ({field}: {first['msg']}); is it of the same version as this Allclose?"
    )
