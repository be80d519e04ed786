"""`allclose login` and `allclose submit`: the REST API from the command line."""

import json
import os
import uuid
from pathlib import Path
from typing import Annotated, Any

import httpx
import typer

from app.cli.console import errors, output
from app.cli.table import exit_code, print_submission
from app.errors import AllcloseError
from app.settings import read_settings

Server = Annotated[str | None, typer.Option(help="Address of the Allclose server (or ALLCLOSE_SERVER).")]
TOKEN_FILE = Path("~/.config/allclose/tokens.json")
POLL_SECONDS = 30


class ServerRefused(AllcloseError):
    """The server answered with a problem, or could not be reached."""


class NotSignedIn(AllcloseError):
    """There is no token for this server."""


def login(
    username: Annotated[str, typer.Argument(help="Your user name on the server.")],
    password: Annotated[str, typer.Option(prompt=True, hide_input=True)],
    server: Server = None,
) -> None:
    """Get a token from a server and keep it for `allclose submit`."""
    address = server or read_settings().server
    with _client(address, token=None) as client:
        body = {"username": username, "password": password, "name": f"allclose login on {os.uname().nodename}"}
        token = _call(client, "POST", "/tokens", json=body)["token"]
    _keep_token(address, token)
    output.print(f"Signed in to {address} as {username}; the token is kept in {TOKEN_FILE}.")


def submit(
    problem: Annotated[str, typer.Argument(help="The problem's slug, as `allclose problem list` shows it.")],
    file: Annotated[Path, typer.Argument(help="Your solution.", exists=True, dir_okay=False)],
    sample: Annotated[bool, typer.Option("--sample", help="Run the sample cases only.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the submission as JSON.")] = False,
    server: Server = None,
) -> None:
    """Send a solution to a server and wait for its verdict. Exit code 0 only when accepted."""
    settings = read_settings(server=server)
    token = settings.token or _find_token(settings.server)
    if token is None:
        raise NotSignedIn(f"no token for {settings.server}: run `allclose login USERNAME`, or set ALLCLOSE_TOKEN")
    with _client(settings.server, token=token) as client:
        submission = _send(client, problem, file, "sample" if sample else "submit")
        submission = _wait(client, submission)
    if as_json:
        output.print_json(json.dumps(submission))
    else:
        print_submission(submission)
    raise typer.Exit(exit_code(submission))


def _send(client: httpx.Client, problem: str, file: Path, mode: str) -> dict[str, Any]:
    try:
        source = file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ServerRefused(f"{file} is not UTF-8 at byte {error.start}: save it as UTF-8 and send it again") from None
    headers = {"Idempotency-Key": str(uuid.uuid4())}
    return _call(
        client, "POST", f"/problems/{problem}/submissions", json={"source": source, "mode": mode}, headers=headers
    )


def _wait(client: httpx.Client, submission: dict[str, Any]) -> dict[str, Any]:
    with errors.status("queued …") as status:
        while submission["state"] != "done":
            submission = _call(client, "GET", f"/submissions/{submission['id']}", params={"wait": POLL_SECONDS})
            status.update(f"{submission['state']} … {len(submission['cases'])} cases done")
    return submission


def _client(server: str, token: str | None) -> httpx.Client:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(base_url=server.rstrip("/") + "/api/v1", headers=headers, timeout=POLL_SECONDS + 30)


def _call(client: httpx.Client, method: str, path: str, **arguments: Any) -> dict[str, Any]:
    try:
        response = client.request(method, path, **arguments)
    except httpx.HTTPError as error:
        raise ServerRefused(f"{client.base_url} can't be reached ({error}); is the server running there?") from None
    if response.is_error:
        raise ServerRefused(_problem_text(response))
    body: dict[str, Any] = response.json()
    return body


def _problem_text(response: httpx.Response) -> str:
    try:
        problem = response.json()
        return str(problem.get("detail") or problem["title"])
    except (ValueError, KeyError, AttributeError):
        return f"{response.url} answered {response.status_code}: {response.text[:200]}"


def _keep_token(server: str, token: str) -> None:
    path = TOKEN_FILE.expanduser()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    tokens = json.loads(path.read_text()) if path.exists() else {}
    path.touch(mode=0o600)
    path.write_text(json.dumps({**tokens, server: token}, indent=2))


def _find_token(server: str) -> str | None:
    path = TOKEN_FILE.expanduser()
    token = json.loads(path.read_text()).get(server) if path.exists() else None
    return token if isinstance(token, str) else None
