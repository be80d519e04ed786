"""`allclose login` and `allclose submit`: the REST API from the command line."""

import os
import time
import uuid
from pathlib import Path
from typing import Annotated, Any

import httpx
import typer

from app.cli import token_file
from app.cli.console import errors, output
from app.cli.source import read_source
from app.cli.table import exit_code, print_submission
from app.errors import AllcloseError
from app.settings import read_settings

Server = Annotated[str | None, typer.Option(help="Address of the Allclose server (or ALLCLOSE_SERVER).")]
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


def login(
    username: Annotated[str, typer.Argument(help="Your user name on the server.")],
    password: Annotated[str, typer.Option(prompt=True, hide_input=True)],
    server: Server = None,
) -> None:
    """Get a token from a server and keep it for `allclose submit`."""
    address = read_settings(server=server).server
    with _client(address, token=None) as client:
        body = {"username": username, "password": password, "name": f"allclose login on {os.uname().nodename}"}
        token = _call(client, "POST", "/tokens", json=body)["token"]
    path = token_file.keep(address, token)
    output.print(f"Signed in to {address} as {username}; the token is kept in {path}.", markup=False, soft_wrap=True)


def submit(
    problem: Annotated[str, typer.Argument(help="The problem's slug, as `allclose problem list` shows it.")],
    file: Annotated[Path, typer.Argument(help="Your solution.", exists=True, dir_okay=False)],
    sample: Annotated[bool, typer.Option("--sample", help="Run the sample cases only.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the submission as JSON.")] = False,
    server: Server = None,
) -> None:
    """Send a solution to a server and wait for its verdict. Exit code 0 only when accepted."""
    settings = read_settings(server=server)
    token = settings.token or token_file.find(settings.server)
    if token is None:
        raise NotSignedIn(f"no token for {settings.server}: run `allclose login USERNAME`, or set ALLCLOSE_TOKEN")
    with _client(settings.server, token=token) as client:
        submission = _send(client, problem, read_source(file), "sample" if sample else "submit")
        try:
            submission = _wait(client, submission)
        except (ServerRefused, KeyboardInterrupt) as error:
            errors.print(f"Your submission was taken; its verdict will be at {_page(settings.server, submission)}")
            raise error from None
    if as_json:
        output.print_json(data=submission)
    else:
        print_submission(submission)
    raise typer.Exit(exit_code(submission))


def _page(server: str, submission: dict[str, Any]) -> str:
    return f"{server}/submissions/{submission['id']}"


def _send(client: httpx.Client, problem: str, source: str, mode: str) -> dict[str, Any]:
    """The key makes every try the same submission."""
    headers = {"Idempotency-Key": str(uuid.uuid4())}
    body = {"source": source, "mode": mode}
    return _insist(client, "POST", f"/problems/{problem}/submissions", json=body, headers=headers)


def _wait(client: httpx.Client, submission: dict[str, Any]) -> dict[str, Any]:
    told: str | None = None
    with errors.status("queued …") as status:
        while submission["state"] != "done":
            notice = submission.get("notice")
            if notice and notice != told:
                errors.print(notice, markup=False, highlight=False, soft_wrap=True)
            told = notice
            submission = _insist(client, "GET", f"/submissions/{submission['id']}", params={"wait": POLL_SECONDS})
            status.update(f"{submission['state']} … {len(submission['cases'])} cases done")
    return submission


def _client(server: str, token: str | None) -> httpx.Client:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(base_url=server + "/api/v1", headers=headers, timeout=POLL_SECONDS + 30)


def _insist(client: httpx.Client, method: str, path: str, **arguments: Any) -> dict[str, Any]:
    """For a request that does no more when it is sent again. Raises ServerRefused after the last try."""
    for pause in PAUSES_SECONDS:
        try:
            return _call(client, method, path, **arguments)
        except ServerBusy as busy:
            seconds = pause if busy.retry_seconds is None else busy.retry_seconds
            if seconds > LONGEST_PAUSE_SECONDS:
                raise
            errors.print(f"{busy}; trying again in {seconds:.0f} s", markup=False, highlight=False, soft_wrap=True)
            time.sleep(seconds)
    return _call(client, method, path, **arguments)


def _call(client: httpx.Client, method: str, path: str, **arguments: Any) -> dict[str, Any]:
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
