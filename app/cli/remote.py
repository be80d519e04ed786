"""The REST API of a server, as commands call it: what to try again, and what to say when it refuses."""

import time
from typing import Any

import httpx

from app.cli import token_file
from app.cli.console import errors
from app.errors import AllcloseError
from app.judging.text import printable
from app.settings import Settings

POLL_SECONDS = 30
# Before each further try, where the server names no time; one that it names and that is longer is left to the person.
PAUSES_SECONDS = (1.0, 2.0, 4.0)
LONGEST_PAUSE_SECONDS = 60.0
WORTH_ANOTHER_TRY = (httpx.codes.TOO_MANY_REQUESTS, httpx.codes.SERVICE_UNAVAILABLE)
MAX_TOLD = 2_000


class ServerRefused(AllcloseError):
    """The server answered with a problem, or could not be reached."""


class NothingThere(ServerRefused):
    """The server knows nothing of that name."""


class ServerBusy(ServerRefused):
    """The same request may go through later: in `retry_seconds`, if the server said so."""

    def __init__(self, message: str, retry_seconds: float | None = None) -> None:
        super().__init__(message)
        self.retry_seconds = retry_seconds


class NotSignedIn(AllcloseError):
    """There is no token for this server, or it is not valid any more."""


def require_token(settings: Settings) -> str:
    """From the settings, or as `allclose login` has kept it. Raises NotSignedIn."""
    token = settings.token or token_file.find(settings.server)
    if token is None:
        raise NotSignedIn(f"no token for {settings.server}: run `allclose login USERNAME`, or set ALLCLOSE_TOKEN")
    if not (token.isascii() and token.isprintable()):
        raise NotSignedIn(f"the token for {settings.server} is none; run `allclose login USERNAME` for another")
    return token


def open_client(server: str, token: str | None) -> httpx.Client:
    """Raises ServerRefused where the address is none."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        return httpx.Client(base_url=server + "/api/v1", headers=headers, timeout=POLL_SECONDS + 30)
    except (httpx.InvalidURL, ValueError) as error:
        raise ServerRefused(f"{printable(server, MAX_TOLD)} is no address of a server ({error})") from None


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
    """Raises ServerRefused, and NotSignedIn where the server does not take the token."""
    try:
        response = client.request(method, path, **arguments)
    except httpx.HTTPError as error:
        raise ServerBusy(f"{client.base_url} can't be reached ({error}); is the server running there?") from None
    if response.status_code in WORTH_ANOTHER_TRY:
        seconds = response.headers.get("Retry-After", "")
        raise ServerBusy(_problem_text(response), float(seconds) if seconds.isdecimal() else None)
    if response.status_code == httpx.codes.UNAUTHORIZED and "Authorization" in client.headers:
        raise NotSignedIn(_token_refused(client))
    if response.is_error:
        kind = NothingThere if response.status_code == httpx.codes.NOT_FOUND else ServerRefused
        raise kind(_problem_text(response))
    return _read_object(response)


def server_of(client: httpx.Client) -> str:
    """Its address, as people type it."""
    return str(client.base_url).rstrip("/").removesuffix("/api/v1")


def _token_refused(client: httpx.Client) -> str:
    server = server_of(client)
    return f"{server} does not take your token: it was revoked, or is another server's; run `allclose login USERNAME`"


def _read_object(response: httpx.Response) -> dict[str, Any]:
    try:
        body = response.json()
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise ServerRefused(f"{response.url} is no page of the Allclose API; is the address right?")
    return body


def _problem_text(response: httpx.Response) -> str:
    """Of the server's own choice, and so made printable."""
    try:
        problem = response.json()
        told = str(problem.get("detail") or problem["title"])
    except (ValueError, KeyError, AttributeError, RecursionError):
        told = f"{response.url} answered {response.status_code}: {response.text[:200]}"
    return printable(told, MAX_TOLD)
