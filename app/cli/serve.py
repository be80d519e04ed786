"""`allclose serve`: everything on one machine, until Ctrl-C."""

import logging
from typing import Annotated

import typer

from app.settings import read_settings


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on (or ALLCLOSE_HOST).")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on (or ALLCLOSE_PORT).")] = None,
    data: Annotated[str | None, typer.Option(help="Folder for the database and caches (or ALLCLOSE_DATA).")] = None,
    worker: Annotated[bool, typer.Option(help="Start a worker too.")] = True,
) -> None:
    """Run the database, the web pages, the REST API and a worker on this machine. Ctrl-C ends all of it."""
    from app.cli.server import run_server

    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    run_server(read_settings(host=host, port=port, data=data), with_worker=worker)
