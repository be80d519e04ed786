"""`allclose worker`: judge the submissions in the queue."""

import ctypes
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Literal

import typer

from app.capacity import use_one_heap
from app.cli.gpu import BadGpuChoice, default_choice, use_gpus
from app.log import configure_log
from app.settings import read_settings
from sandbox.gpu.gpu_lease import Gpus
from sandbox.interface import SandboxUnavailable

PR_SET_PDEATHSIG = 1
# The exit code that tells the supervisor that this host can't open a box.
NO_SANDBOX = 3
# The loops, the warmer, a verification and a similarity check use these. Each slot uses one more.
OTHER_CONNECTIONS = 8
# Of a worker beside its web process: pages go first when both want the same cores. Its boxes inherit it.
NICENESS_BESIDE_PAGES = 5


def worker(
    queue: Annotated[Literal["cpu", "gpu"], typer.Option(help="The queue to judge.")] = "cpu",
    gpus: Annotated[
        str | None,
        typer.Option(
            help="With --queue gpu: `all`, or numbers that nvidia-smi shows, such as 0,1. "
            "Default: those of CUDA_VISIBLE_DEVICES, or all."
        ),
    ] = None,
    slots: Annotated[
        int | None,
        typer.Option(help="The number of parallel judgings. Default: as cores and memory allow, or one per GPU."),
    ] = None,
    until_idle: Annotated[
        float | None,
        typer.Option(
            min=1,
            metavar="SECONDS",
            help="End after this time without a judging. Such a worker takes no verifications and similarity checks.",
        ),
    ] = None,
    data: Annotated[str | None, typer.Option(help="The data folder (or ALLCLOSE_DATA).")] = None,
    follow_parent: Annotated[int | None, typer.Option(hidden=True)] = None,
    lacks_sandbox: Annotated[bool, typer.Option("--lacks-sandbox", hidden=True)] = False,
) -> None:
    """Judge the submissions in the queue until SIGTERM or Ctrl-C. Then running judgings have 20 s to finish."""
    use_one_heap()
    if follow_parent is not None:
        _end_with_parent(follow_parent)
        _let_pages_go_first()
    settings = read_settings(slots=slots, data=data)
    configure_log(settings.log_format, settings.log_level, "worker")

    from app.cli.deployment import open_database
    from app.worker_process import open_worker_launcher, run_worker

    with _gpus_of(queue, gpus) as found:
        if found is not None and settings.slots is None:
            settings = settings.model_copy(update={"slots": len(found.gpus)})
        try:
            opened = open_worker_launcher(settings, found)
        except SandboxUnavailable:
            if lacks_sandbox:  # the last worker reported it
                raise typer.Exit(NO_SANDBOX) from None
            raise
        with open_database(settings, pool_size=settings.worker_slots + OTHER_CONNECTIONS) as database:
            run_worker(settings, database, opened, found, until_idle)


@contextmanager
def _gpus_of(queue: Literal["cpu", "gpu"], choice: str | None) -> Iterator[Gpus | None]:
    """Reserve the GPUs. None for the queue cpu. Raises BadGpuChoice, SandboxUnavailable."""
    if queue == "gpu":
        with use_gpus(choice or default_choice()) as gpus:
            yield gpus
        return
    if choice is not None:
        raise BadGpuChoice("--gpus needs --queue gpu: a worker of the queue cpu uses no GPU")
    yield None


def _end_with_parent(parent: int) -> None:
    """Drain when the parent process ends, even if it is killed."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        raise typer.Exit(1)


def _let_pages_go_first() -> None:
    """Lower the priority of this process, and of its session, between which Linux shares the cores."""
    os.setpriority(os.PRIO_PROCESS, 0, max(os.getpriority(os.PRIO_PROCESS, 0), NICENESS_BESIDE_PAGES))
    with suppress(OSError):  # a kernel without autogroups
        Path("/proc/self/autogroup").write_text(str(NICENESS_BESIDE_PAGES))
