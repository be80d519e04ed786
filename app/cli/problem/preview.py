"""`allclose problem preview`: the problem's page, from the files on disk, renewed as they change."""

import logging
import signal
import socket
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from app.cli.console import output
from app.cli.problem.package_source import NAMED, find_source
from app.errors import AllcloseError
from app.settings import read_settings

if TYPE_CHECKING:
    from fastapi import FastAPI

PORT = 8001


class PortInUse(AllcloseError):
    """Something else listens where the preview should be."""


def preview(
    problem: Annotated[str, typer.Argument(help=NAMED)],
    port: Annotated[int, typer.Option(help="Where to listen on this machine; 0 for any that is free.")] = PORT,
) -> None:
    """Show a package's page as students will see it, and show it anew whenever a file changes.

    What is wrong with the package stands on the page, with file, line and remedy. Needs no server and no database.
    Where this machine can open a box, the reference's answers to the samples appear once they are there.
    """
    from app.api.response_headers import ResponseHeaders
    from app.cli.problem.shelf import Shelf
    from app.web.preview import create_preview

    source, settings = find_source(problem), read_settings()
    with _listen(port) as listening, closing(Shelf(source, settings)) as shelf:
        page = create_preview(source.slug, shelf.read)
        page.add_middleware(ResponseHeaders)
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/problems/{source.slug}"
        _serve(page, listening, f"The page of {escape(source.slug)} is at [bold]{escape(address)}[/]")


def _listen(port: int) -> socket.socket:
    """Raises PortInUse."""
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
        listening.listen()
    except (OSError, OverflowError) as error:
        listening.close()
        raise PortInUse(f"can't listen on port {port} ({error}): choose another with --port, or --port 0") from None
    return listening


def _serve(page: "FastAPI", listening: socket.socket, greeting: str) -> None:
    """Until Ctrl-C."""
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            output.print(greeting, soft_wrap=True)
            output.print("It follows the files. Ctrl-C ends it.")

    # An open page holds its stream of changes for as long as it likes, and that it is cut off is no news.
    logging.getLogger("uvicorn.error").addFilter(lambda record: not record.getMessage().startswith("Cancel "))
    config = uvicorn.Config(page, log_level="error", access_log=False, timeout_graceful_shutdown=0)
    # uvicorn passes a signal on once it has stopped: as an exception it ends the boxes too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        Server(config).run(sockets=[listening])
