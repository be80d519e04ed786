"""The REST API of a server, as commands call it: what to try again, and what to say when it refuses."""

import time
from typing import Any

import httpx

from app.cli import token_file
from app.cli.console import errors
from app.errors import AllcloseError
from app.settings import Settings

POLL_SECONDS = 30
# Before each further try, where the server names no time; one that it names and that is longer is left to the person.
PAUSES_SECONDS = (1.0, 2.0, 4.0)
LONGEST_PAUSE_SECONDS = 60.0
WORTH_ANOTHER_TRY = (httpx.codes.TOO_MANY_REQUESTS, httpx.codes.SERVICE_UNAVAILABLE)


class ServerRefused(AllcloseError):
    """The server answered with a problem, or could not be reached."""


class ServerBusy(ServerRefused):
    """The same request may go through later: in `retry_seconds`, if the server said so."""

    def __init__(self, message: str, retry_seconds: float | None = None) -> None:
        super().__init__(message)
        self.retry_seconds = retry_seconds


class NotSignedIn(AllcloseError):
    """There is no token for this server."""


def require_token(settings: Settings) -> str:
    """From the settings, or as `allclose login` has kept it. Raises NotSignedIn."""
    token = settings.token or token_file.find(settings.server)
    if token is None:
        raise NotSignedIn(f"no token for {settings.server}: run `allclose login USERNAME`, or set ALLCLOSE_TOKEN")
    return token


def open_client(server: str, token: str | None) -> httpx.Client:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(base_url=server + "/api/v1", headers=headers, timeout=POLL_SECONDS + 30)


def insist(client: httpx.Client, method: str, path: str, **arguments: Any) -> dict[str, Any]:
    """For a request that does no more when it is sent again. Raises ServerRefused after the last try."""
    for pause in PAUSES_SECONDS:
        try:
            return call(client, method, path, **arguments)
        except ServerBusy as busy:
            seconds = pause if busy.retry_seconds is None else busy.retry_seconds
            if seconds > LONGEST_PAUSE_SECONDS:
                raise
            errors.print(f"{busy}; trying again in {seconds:.0f} s", markup=False, highlight=False, soft_wrap=True)
            time.sleep(seconds)
    return call(client, method, path, **arguments)


def call(client: httpx.Client, method: str, path: str, **arguments: Any) -> dict[str, Any]:
    try:
        response = client.request(method, path, **arguments)
    except httpx.HTTPError as error:
        raise ServerBusy(f"{client.base_url} can't be reached ({error}); is the server running there?") from None
    if response.status_code in WORTH_ANOTHER_TRY:
        seconds = response.headers.get("Retry-After", "")
        raise ServerBusy(_problem_text(response), float(seconds) if seconds.isdecimal() else None)
    if response.is_error:
        raise ServerRefused(_problem_text(response))
    return _read_object(response)


def _read_object(response: httpx.Response) -> dict[str, Any]:
    try:
        body = response.json()
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise ServerRefused(f"{response.url} is no page of the Allclose API; is the address right?")
    return body


def _problem_text(response: httpx.Response) -> str:
    try:
        problem = response.json()
        return str(problem.get("detail") or problem["title"])
    except (ValueError, KeyError, AttributeError):
        return f"{response.url} answered {response.status_code}: {response.text[:200]}"
