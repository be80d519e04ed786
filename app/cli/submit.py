"""`allclose login`, `submit`, `show` and `cancel`: the REST API from the command line."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli import remote as token_file
from app.cli.console import output, print_json
from app.cli.following import left_behind, page_of, watch
from app.cli.remote import Attempt, open_client, require_token, send
from app.cli.source import read_source, read_text
from app.settings import read_settings

if TYPE_CHECKING:
    from app.client.client import Client

INTERRUPTED = 130

Server = Annotated[str | None, typer.Option(help="Address of the Allclose server (or ALLCLOSE_SERVER).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the submission as JSON.")]


def login(
    username: Annotated[str, typer.Argument(help="Your user name on the server.")],
    password: Annotated[str, typer.Option(prompt=True, hide_input=True)],
    server: Server = None,
) -> None:
    """Get a token from a server and keep it for `allclose submit`."""
    address = read_settings(server=server).server
    path = sign_in(address, username, password)
    output.print(f"Signed in to {address} as {username}; the token is kept in {path}.", markup=False, soft_wrap=True)


def submit(
    problem: Annotated[str, typer.Argument(help="The problem's slug: the last part of its page's address.")],
    file: Annotated[Path, typer.Argument(help="Your solution.", exists=True, dir_okay=False)],
    sample: Annotated[bool, typer.Option("--sample", help="Run the sample cases only.")] = False,
    inputs: Annotated[
        Path | None, typer.Option(help="Run on these inputs of yours only, a YAML file.", exists=True, dir_okay=False)
    ] = None,
    as_json: AsJson = False,
    server: Server = None,
) -> None:
    """Send a solution to a server and follow it to its verdict, case by case. Exit code 0 only when accepted."""
    settings = read_settings(server=server)
    attempt = Attempt(
        problem=problem,
        source=read_source(file),
        mode="sample" if sample or inputs else "submit",
        inputs=read_text(inputs) if inputs else None,
    )
    with open_client(settings.server, token=require_token(settings)) as client:
        submission_id = send(client, attempt)
        _tell(client, submission_id, as_json)


def show(
    submission: Annotated[str, typer.Argument(help="Its id: the last part of its page's address.")],
    as_json: AsJson = False,
    server: Server = None,
) -> None:
    """Look again at a submission on a server, and follow it while it is judged. Exit code 0 only when accepted."""
    settings = read_settings(server=server)
    with open_client(settings.server, token=require_token(settings)) as client:
        _tell(client, _id(submission), as_json)


def cancel(
    submission: Annotated[str, typer.Argument(help="Its id: the last part of its page's address.")],
    server: Server = None,
) -> None:
    """Stop the judging of a submission; one that is done stays as it is."""
    settings = read_settings(server=server)
    with open_client(settings.server, token=require_token(settings)) as client:
        view = client.cancel_submission(_id(submission))
    stopped = "It is cancelled." if view.verdict == "cancelled" else "It was judged already, and stays so."
    output.print(f"{stopped} {page_of(client, str(view.id))}", markup=False, highlight=False, soft_wrap=True)


def sign_in(address: str, username: str, password: str) -> Path:
    """Returns the file that keeps the token now. Raises ServerRefused."""
    with open_client(address, token=None) as client:
        token = client.sign_in(username, password, f"allclose login on {os.uname().nodename}")
    return token_file.keep(address, token)


def _id(submission: str) -> str:
    """Also of a page's address."""
    return submission.rstrip("/").rpartition("/")[2]


def _tell(client: "Client", submission_id: str, as_json: bool) -> None:
    """Raises typer.Exit."""
    try:
        with left_behind(client, submission_id):
            view = watch(client, submission_id)
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    # What these import takes a while, and meanwhile the submission is judged.
    from app.cli.result_text import exit_code, print_submission

    if as_json:
        print_json(view)
    else:
        print_submission(view, page_of(client, submission_id))
    raise typer.Exit(exit_code(view))
