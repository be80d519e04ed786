"""`allclose serve`: everything on one machine, until Ctrl-C."""

from typing import Annotated

import typer

from app.capacity import use_one_heap
from app.log import configure_log
from app.settings import read_settings


def serve(
    host: Annotated[str | None, typer.Option(help="The address to listen on (or ALLCLOSE_HOST).")] = None,
    port: Annotated[int | None, typer.Option(help="The port to listen on (or ALLCLOSE_PORT).")] = None,
    data: Annotated[str | None, typer.Option(help="The data folder (or ALLCLOSE_DATA).")] = None,
    worker: Annotated[bool, typer.Option(help="Also start a worker.")] = True,
) -> None:
    """Run the database, the web pages, the REST API and a worker on this machine. Ctrl-C stops all of them."""
    use_one_heap()
    settings = read_settings(host=host, port=port, data=data)
    configure_log(settings.log_format, settings.log_level, "serve")

    from app.cli.server import run_server

    run_server(settings, with_worker=worker)
