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
from app.cli.remote import POLL_SECONDS, ServerRefused, call, insist, open_client, require_token
from app.cli.source import read_source
from app.cli.table import exit_code, print_submission
from app.settings import read_settings

# A hint may follow the verdict, and is waited for so long.
HINT_SECONDS = 20.0

Server = Annotated[str | None, typer.Option(help="Address of the Allclose server (or ALLCLOSE_SERVER).")]


def login(
    username: Annotated[str, typer.Argument(help="Your user name on the server.")],
    password: Annotated[str, typer.Option(prompt=True, hide_input=True)],
    server: Server = None,
) -> None:
    """Get a token from a server and keep it for `allclose submit`."""
    address = read_settings(server=server).server
    with open_client(address, token=None) as client:
        body = {"username": username, "password": password, "name": f"allclose login on {os.uname().nodename}"}
        token = call(client, "POST", "/tokens", json=body)["token"]
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
    with open_client(settings.server, token=require_token(settings)) as client:
        submission = _send(client, problem, read_source(file), "sample" if sample else "submit")
        try:
            submission = _wait(client, submission)
        except (ServerRefused, KeyboardInterrupt) as error:
            errors.print(f"Your submission was taken; its verdict will be at {_page(settings.server, submission)}")
            raise error from None
        submission = _wait_for_hint(client, submission)
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
    return insist(client, "POST", f"/problems/{problem}/submissions", json=body, headers=headers)


def _wait(client: httpx.Client, submission: dict[str, Any]) -> dict[str, Any]:
    told: str | None = None
    with errors.status("queued …") as status:
        while submission["state"] != "done":
            notice = submission.get("notice")
            if notice and notice != told:
                errors.print(notice, markup=False, highlight=False, soft_wrap=True)
            told = notice
            submission = insist(client, "GET", f"/submissions/{submission['id']}", params={"wait": POLL_SECONDS})
            status.update(f"{submission['state']} … {len(submission['cases'])} cases done")
    return submission


def _wait_for_hint(client: httpx.Client, submission: dict[str, Any]) -> dict[str, Any]:
    """The verdict is known: whatever goes wrong here, or Ctrl-C, leaves it as it is."""
    deadline = time.monotonic() + HINT_SECONDS
    if submission.get("hint_pending"):
        errors.print("Looking whether this is a known mistake …")
    try:
        while submission.get("hint_pending") and time.monotonic() < deadline:
            time.sleep(1.0)
            submission = call(client, "GET", f"/submissions/{submission['id']}")
    except (ServerRefused, KeyboardInterrupt):
        pass
    return submission
