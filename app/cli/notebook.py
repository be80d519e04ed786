"""The magics: `%%allclose`, `%allclose_login`, `%allclose_problems` and `%allclose_starter`."""

import argparse
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from getpass import getpass
from typing import TYPE_CHECKING, NoReturn

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

from app.cli.console import message, one_line
from app.cli.notebook_output import show_progress
from app.cli.remote import Attempt, get_problem, list_problems, open_client, require_token, send
from app.cli.source import check_size
from app.cli.submit import sign_in
from app.errors import AllcloseError
from app.judging.printable_text import printable
from app.limits import SOURCE_BYTES
from app.settings import read_settings

if TYPE_CHECKING:
    from app.cli.client import Client

STARTER = "%%allclose {slug} --run\n{starter}"


def load_ipython_extension(shell: InteractiveShell) -> None:
    magics = Magics(shell)
    shell.register_magic_function(magics.submit_cell, "cell", "allclose")
    shell.register_magic_function(magics.login, "line", "allclose_login")
    shell.register_magic_function(magics.problems, "line", "allclose_problems")
    shell.register_magic_function(magics.starter, "line", "allclose_starter")


class Magics:
    """The magic functions. Expected errors become UsageError, which IPython shows without a traceback."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell

    def submit_cell(self, line: str, cell: str) -> None:
        """Submit this cell as a solution and show the result of each case.

        %%allclose SLUG [--run] [--exec] [--server URL]

        Only this cell is sent, so it must hold everything it needs, including imports. It runs here only with --exec.
        """
        parser = _parser("%%allclose", "Submit this cell as a solution.")
        parser.add_argument("slug", help="the problem's slug, which is the last part of its page's address")
        parser.add_argument("--run", action="store_true", help="run the sample cases only")
        parser.add_argument("--exec", action="store_true", help="run the cell in the notebook before it is sent")
        arguments = _parse(parser, line)
        attempt = Attempt(problem=arguments.slug, source=cell, mode="sample" if arguments.run else "submit")
        if arguments.exec and not self._shell.run_cell(cell).success:
            raise UsageError("the cell failed in the notebook, so it was not sent")
        with _usage_errors():
            check_size("this cell", cell)
            with _client(arguments.server, needs_token=True) as client:
                show_progress(self._shell, client, send(client, attempt))

    def login(self, line: str) -> None:
        """Sign in and save an API token: %allclose_login USERNAME [--server URL]. Asks for the password."""
        parser = _parser("%allclose_login", "Sign in to a server and save an API token.")
        parser.add_argument("username", help="your user name on the server")
        arguments = _parse(parser, line)
        with _usage_errors():
            address = read_settings(server=arguments.server).server
            path = sign_in(address, arguments.username, getpass(f"Password of {arguments.username} on {address}: "))
            print(f"Signed in to {address} as {arguments.username}. The token is in {path}.")

    def problems(self, line: str) -> None:
        """List the problems of the server, or those with these words: %allclose_problems [WORDS]."""
        parser = _parser("%allclose_problems", "List the problems of a server.")
        parser.add_argument("words", nargs="*", help="list only problems that contain all of these words")
        arguments = _parse(parser, line)
        with _usage_errors(), _client(arguments.server) as client:
            found = list_problems(client, " ".join(arguments.words))
            width = max((len(one_line(item.slug)) for item in found), default=0)
            for item in found:
                print(f"{one_line(item.slug):{width}}  {one_line(item.title)} ({one_line(item.difficulty)})")
            if not found:
                print("No problem has these words. Leave them out to list all problems.")

    def starter(self, line: str) -> None:
        """Put a problem's starter code into the next cell: %allclose_starter SLUG."""
        parser = _parser("%allclose_starter", "Put a problem's starter code into the next cell.")
        parser.add_argument("slug", help="the problem's slug, which is the last part of its page's address")
        arguments = _parse(parser, line)
        with _usage_errors(), _client(arguments.server) as client:
            starter = printable(get_problem(client, arguments.slug).starter, SOURCE_BYTES)
            self._shell.set_next_input(STARTER.format(slug=arguments.slug, starter=starter))


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}\n{self.format_usage().strip()}")


def _parser(name: str, purpose: str) -> _Parser:
    parser = _Parser(prog=name, description=purpose, add_help=False)
    parser.add_argument("--server", help="the address of the Allclose server (or ALLCLOSE_SERVER)")
    return parser


def _parse(parser: _Parser, line: str) -> argparse.Namespace:
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"the line can't be parsed: {error}") from None
    return parser.parse_args(words)


@contextmanager
def _client(server: str | None, *, needs_token: bool = False) -> Iterator["Client"]:
    settings = read_settings(server=server)
    with open_client(settings.server, require_token(settings) if needs_token else None) as client:
        yield client


@contextmanager
def _usage_errors() -> Iterator[None]:
    """Turn an AllcloseError into a UsageError."""
    try:
        yield
    except AllcloseError as error:
        raise UsageError(message(error)) from None
