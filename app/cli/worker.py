"""`allclose worker`: judge what is in the queue."""

import ctypes
import logging
import os
import signal
from typing import Annotated, Literal

import typer

from app.settings import read_settings

PR_SET_PDEATHSIG = 1


def worker(
    queue: Annotated[Literal["cpu"], typer.Option(help="The queue to take from.")] = "cpu",
    slots: Annotated[int | None, typer.Option(help="Judgings at once; default: one per core.")] = None,
    data: Annotated[str | None, typer.Option(help="The data folder (or ALLCLOSE_DATA).")] = None,
    follow_parent: Annotated[int | None, typer.Option(hidden=True)] = None,
) -> None:
    """Judge what is in the queue, until SIGTERM or Ctrl-C; running judgings are finished first."""
    from app.cli.deployment import open_database
    from app.worker.main import run_worker

    if follow_parent is not None:
        _end_with_parent(follow_parent)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s worker %(levelname)s %(message)s")
    logging.getLogger("alembic").setLevel(logging.WARNING)
    settings = read_settings(slots=slots, data=data)
    with open_database(settings, pool_size=settings.worker_slots + 3) as database:
        run_worker(settings, database, [queue])


def _end_with_parent(parent: int) -> None:
    """Drain when the process that started us ends, however it ends."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        raise typer.Exit(1)
