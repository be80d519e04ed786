"""A server, as commands call it: with the token that is kept for it, and errors as commands tell them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from app.cli import token_file
from app.cli.console import errors
from app.client.error import ClientError
from app.client.error import NotSignedIn as TokenRefused
from app.errors import AllcloseError
from app.settings import Settings

if TYPE_CHECKING:
    from app.client.client import Client


class ServerRefused(AllcloseError):
    """The server answered with a problem, or could not be reached."""


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


@contextmanager
def open_client(server: str, token: str | None) -> Iterator["Client"]:
    """What the block meets of the client's errors leaves it as ServerRefused or NotSignedIn."""
    from app.client.client import Client

    try:
        with Client(server, token, on_retry=_tell) as client:
            yield client
    except TokenRefused as refused:
        raise (NotSignedIn(_explain_refused(server)) if token else ServerRefused(str(refused))) from None
    except ClientError as error:
        raise ServerRefused(str(error)) from None


def _tell(error: ClientError, seconds: float) -> None:
    errors.print(f"{error}; trying again in {seconds:.0f} s", markup=False, highlight=False, soft_wrap=True)


def _explain_refused(server: str) -> str:
    return f"{server} does not take your token: it was revoked, or is another server's; run `allclose login USERNAME`"
