"""Calls to an Allclose server, for the command line and notebooks.

`allclose login` saves one API token for each server address in the home folder.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from app.cli.console import errors
from app.cli.transport import ClientError, ServerRefused
from app.errors import AllcloseError
from app.settings import Settings

if TYPE_CHECKING:
    from app.cli.client import Client, ListedProblem, ProblemDetail


MAX_PROBLEMS = 200
PRACTICE = "none"
TOKEN_FILE = Path("~/.config/allclose/tokens.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A solution to submit. `problem` is a slug. `inputs` is YAML and replaces the inputs of the sample cases.

    `assignment`: `COURSE/ASSIGNMENT` to hand in for, or `none` for practice. None: the one open homework, if any.
    """

    problem: str
    source: str
    mode: Literal["submit", "sample"]
    inputs: str | None = None
    assignment: str | None = None


class UnknownProblem(AllcloseError):
    """The server has no problem with this slug. The message suggests a similar one."""


def send(client: "Client", attempt: Attempt) -> str:
    """Submit or hand in, say what for, and return the submission's ID. Raises ClientError, UnknownProblem."""
    if attempt.assignment not in (None, PRACTICE):
        receipt = client.hand_in(attempt.assignment, attempt.problem, attempt.source)
    else:
        try:
            receipt = client.submit(attempt.problem, attempt.source, attempt.mode, attempt.inputs, attempt.assignment)
        except ServerRefused as refused:
            raise _explain(client, attempt.problem, refused) from None
    if receipt.assignment:
        errors.print(f"Handed in for {receipt.assignment}.", markup=False, highlight=False, soft_wrap=True)
    return str(receipt.id)


def list_problems(client: "Client", words: str = "") -> list["ListedProblem"]:
    """Return at most `MAX_PROBLEMS`. Raises ClientError."""
    return client.list_problems(MAX_PROBLEMS, words)


def get_problem(client: "Client", slug: str) -> "ProblemDetail":
    """Raises ClientError, UnknownProblem."""
    try:
        return client.get_problem(slug)
    except ServerRefused as refused:
        raise _explain(client, slug, refused) from None


def _explain(client: "Client", slug: str, refused: ServerRefused) -> AllcloseError:
    """Return UnknownProblem for a 404, else the refusal."""
    if refused.status != HTTPStatus.NOT_FOUND:
        return refused
    close = get_close_matches(slug.lower(), [item.slug for item in list_problems(client)], n=1)
    advice = f"did you mean {close[0]!r}?" if close else f"{client.server}/problems lists them"
    return UnknownProblem(f"there is no problem {slug!r} on {client.server}; {advice}")


class TokensUnreadable(AllcloseError):
    """The token file is damaged or can't be accessed. The message says what to do."""


def save_token(server: str, token: str) -> Path:
    """Save the token and return the file that holds it. Raises TokensUnreadable."""
    path = _path()
    tokens = _read(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)
        path.write_text(json.dumps({**tokens, server: token}, indent=2))
    except OSError as error:
        raise _unreadable(path, f"can't be written ({error.strerror})") from None
    return path


def find_token(server: str) -> str | None:
    """Raises TokensUnreadable."""
    token = _read(_path()).get(server)
    return token if isinstance(token, str) else None


def _path() -> Path:
    try:
        return TOKEN_FILE.expanduser()
    except RuntimeError:
        raise TokensUnreadable("there is no home folder for the token file: set HOME or ALLCLOSE_TOKEN") from None


def _read(path: Path) -> dict[str, object]:
    try:
        tokens = json.loads(path.read_text())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise _unreadable(path, f"can't be read ({error.strerror})") from None
    except ValueError as error:
        raise _unreadable(path, f"is damaged ({error})") from None
    if not isinstance(tokens, dict):
        raise _unreadable(path, "is damaged (it is not a JSON object)")
    return tokens


def _unreadable(path: Path, what: str) -> TokensUnreadable:
    return TokensUnreadable(f"{path} {what}: fix or remove it and run `allclose login USERNAME`, or set ALLCLOSE_TOKEN")


class TokenMissing(AllcloseError):
    """There is no token for this server, or the token is no longer valid."""


def require_token(settings: Settings) -> str:
    """Return the token of the settings, or the saved one. Raises TokenMissing."""
    token = settings.token or find_token(settings.server)
    if token is None:
        raise TokenMissing(f"no token for {settings.server}: run `allclose login USERNAME` or set ALLCLOSE_TOKEN")
    if not (token.isascii() and token.isprintable()):
        raise TokenMissing(f"the token for {settings.server} is malformed: run `allclose login USERNAME` to get one")
    return token


@contextmanager
def open_client(server: str, token: str | None) -> Iterator["Client"]:
    """Open a client. Raises TokenMissing if the server does not know the token (any more)."""
    from app.cli.client import Client

    try:
        with Client(server, token, on_retry=_print_retry) as client:
            yield client
    except ServerRefused as refused:
        if token and refused.status == HTTPStatus.UNAUTHORIZED:
            raise TokenMissing(_explain_refused(server)) from None
        raise


def _print_retry(error: ClientError, seconds: float) -> None:
    errors.print(f"{error}; trying again in {seconds:.0f} s", markup=False, highlight=False, soft_wrap=True)


def _explain_refused(server: str) -> str:
    return f"{server} rejects your token: it was revoked or is for another server. Run `allclose login USERNAME`."
