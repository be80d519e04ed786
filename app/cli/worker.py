"""`allclose worker`: judge what is in the queue."""

import ctypes
import logging
import os
import signal
from typing import Annotated, Literal

import typer

from app.settings import Settings, read_settings
from sandbox.interface import BoxSpec, SandboxUnavailable

PR_SET_PDEATHSIG = 1
# The exit code by which a supervisor knows that this host opens no box.
NO_SANDBOX = 3


def worker(
    queue: Annotated[Literal["cpu"], typer.Option(help="The queue to take from.")] = "cpu",
    slots: Annotated[int | None, typer.Option(help="Judgings at once; default: what cores and memory allow.")] = None,
    data: Annotated[str | None, typer.Option(help="The data folder (or ALLCLOSE_DATA).")] = None,
    follow_parent: Annotated[int | None, typer.Option(hidden=True)] = None,
    lacks_sandbox: Annotated[bool, typer.Option("--lacks-sandbox", hidden=True)] = False,
) -> None:
    """Judge what is in the queue, until SIGTERM or Ctrl-C; running judgings are finished first."""
    from app.cli.deployment import open_database
    from app.worker.main import run_worker

    if follow_parent is not None:
        _end_with_parent(follow_parent)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s worker %(levelname)s %(message)s")
    logging.getLogger("alembic").setLevel(logging.WARNING)
    settings = read_settings(slots=slots, data=data)
    try:
        _open_a_box(settings)
    except SandboxUnavailable:
        if lacks_sandbox:  # and has said so
            raise typer.Exit(NO_SANDBOX) from None
        raise
    with open_database(settings, pool_size=settings.worker_slots + 3) as database:
        run_worker(settings, database, [queue])


def _open_a_box(settings: Settings) -> None:
    """Before anything is claimed that would fail for want of one. Raises SandboxUnavailable."""
    from app.worker.boxes import open_launcher

    open_launcher(settings, cache=None).launch(BoxSpec(())).close()


def _end_with_parent(parent: int) -> None:
    """Drain when the process that started us ends, however it ends."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        raise typer.Exit(1)
