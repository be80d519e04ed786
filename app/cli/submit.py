"""`allclose login`, `submit`, `show` and `cancel`: the REST API from the command line."""

import os
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import typer

from app.cli.console import errors, message, output, print_json
from app.cli.follow import PLAIN, explain_interruption, page_of, watch
from app.cli.remote import PRACTICE, Attempt, UnknownProblem, open_client, require_token, save_token, send
from app.cli.source import read_source, read_text
from app.cli.transport import ServerRefused
from app.settings import read_settings

if TYPE_CHECKING:
    from app.cli.client import Client
    from app.submissions.view import SubmissionView

INTERRUPTED = 130
# Refusals of one submission, after which the next may be taken.
REFUSED = (HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.TOO_MANY_REQUESTS)

Server = Annotated[str | None, typer.Option(help="The address of the Allclose server (or ALLCLOSE_SERVER).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the submission as JSON.")]


def login(
    username: Annotated[str, typer.Argument(help="Your user name on the server.")],
    password: Annotated[str, typer.Option(prompt=True, hide_input=True)],
    server: Server = None,
) -> None:
    """Sign in to a server and save an API token for `allclose submit`."""
    address = read_settings(server=server).server
    path = sign_in(address, username, password)
    output.print(f"Signed in to {address} as {username}. The token is in {path}.", markup=False, soft_wrap=True)


def submit(
    problem: Annotated[str, typer.Argument(help="The problem's slug, which is the last part of its page's address.")],
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Your solution, or several of them.", exists=True, dir_okay=False),
    ],
    sample: Annotated[bool, typer.Option("--sample", help="Run the sample cases only.")] = False,
    inputs: Annotated[
        Path | None,
        typer.Option(help="A YAML file of custom inputs to run instead of the cases.", exists=True, dir_okay=False),
    ] = None,
    assignment: Annotated[
        str | None,
        typer.Option(
            metavar="COURSE/ASSIGNMENT",
            help="Hand in for it, as its page's address names both. Else: for the one open homework with this problem.",
        ),
    ] = None,
    practice: Annotated[bool, typer.Option("--practice", help="Hand in nothing.")] = False,
    as_json: AsJson = False,
    server: Server = None,
) -> None:
    """Submit a solution to a server and show each case's result. Exit code 0 only if accepted.

    Several files are sent one after another, and their verdicts are listed. Exit code 0 only if all are accepted.
    """
    settings = read_settings(server=server)
    mode: Literal["sample", "submit"] = "sample" if sample or inputs else "submit"
    given = read_text(inputs) if inputs else None
    _check_assignment(assignment, mode, practice)
    assignment = PRACTICE if practice else assignment
    attempts = [
        Attempt(problem=problem, source=read_source(file), mode=mode, inputs=given, assignment=assignment)
        for file in files
    ]
    with open_client(settings.server, token=require_token(settings)) as client:
        if len(attempts) > 1:
            _submit_all(client, files, attempts, as_json)
        submission_id = send(client, attempts[0])
        _show_result(client, submission_id, as_json)


def show(
    submission: Annotated[str, typer.Argument(help="The submission's ID or the address of its page.")],
    as_json: AsJson = False,
    server: Server = None,
) -> None:
    """Show a submission on a server, and follow it until it is judged. Exit code 0 only if accepted."""
    settings = read_settings(server=server)
    with open_client(settings.server, token=require_token(settings)) as client:
        _show_result(client, _id(submission), as_json)


def cancel(
    submission: Annotated[str, typer.Argument(help="The submission's ID or the address of its page.")],
    server: Server = None,
) -> None:
    """Cancel the judging of a submission. A finished judging stays as it is."""
    settings = read_settings(server=server)
    with open_client(settings.server, token=require_token(settings)) as client:
        view = client.cancel_submission(_id(submission))
    stopped = "Cancelled." if view.verdict == "cancelled" else "Not cancelled: the judging had already finished."
    output.print(f"{stopped} {page_of(client, str(view.id))}", markup=False, highlight=False, soft_wrap=True)


def _check_assignment(assignment: str | None, mode: Literal["sample", "submit"], practice: bool) -> None:
    """Raises typer.BadParameter."""
    if assignment is None:
        return
    if practice:
        raise typer.BadParameter("Practice is no hand-in. Leave one out.", param_hint="--assignment")
    if assignment.count("/") != 1:
        text = f"{assignment!r} is no assignment. Write the course and the assignment, as in deep-learning/homework-1."
        raise typer.BadParameter(text, param_hint="--assignment")
    if mode == "sample":
        raise typer.BadParameter("Running the samples is no hand-in. Leave one out.", param_hint="--assignment")


def sign_in(address: str, username: str, password: str) -> Path:
    """Save a new token and return the file that holds it. Raises ServerRefused."""
    with open_client(address, token=None) as client:
        token = client.sign_in(username, password, f"allclose login on {os.uname().nodename}")
    return save_token(address, token)


def _submit_all(client: "Client", files: list[Path], attempts: list[Attempt], as_json: bool) -> NoReturn:
    """Submit, wait, print a line for each file, and raise typer.Exit with the exit code."""
    from app.cli.result_text import exit_code

    sent = {file: _try_to_send(client, file, attempt) for file, attempt in zip(files, attempts, strict=True)}
    views = {file: _wait(client, submission_id) for file, submission_id in sent.items() if submission_id}
    if as_json:
        print_json({"items": [view.model_dump(mode="json") for view in views.values()]})
    else:
        for file, view in views.items():
            page = page_of(client, str(view.id))
            told = view.withheld or f"{view.verdict}, score {view.score},"
            output.print(f"{file}: {told} {page}", **PLAIN)
    codes = {exit_code(views[file]) if file in views else 1 for file in files}
    raise typer.Exit(max(codes))


def _try_to_send(client: "Client", file: Path, attempt: Attempt) -> str | None:
    """Return the submission's ID, or None after a refusal, which is printed."""
    try:
        return send(client, attempt)
    except (ServerRefused, UnknownProblem) as refused:
        if isinstance(refused, ServerRefused) and refused.status not in REFUSED:
            raise
        errors.print(f"{file}: {message(str(refused))}", **PLAIN)
        return None


def _wait(client: "Client", submission_id: str) -> "SubmissionView":
    *_, view = client.follow_views(submission_id)
    return view


def _id(submission: str) -> str:
    """Return the ID from an ID or from the address of the submission's page."""
    return submission.rstrip("/").rpartition("/")[2]


def _show_result(client: "Client", submission_id: str, as_json: bool) -> None:
    """Print the result and raise typer.Exit with its exit code."""
    try:
        with explain_interruption(client, submission_id):
            view = watch(client, submission_id)
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    # A slow import: the submission is judged before it is needed.
    from app.cli.result_text import exit_code, print_submission

    if as_json:
        print_json(view)
    else:
        print_submission(view, page_of(client, submission_id))
    raise typer.Exit(exit_code(view))
