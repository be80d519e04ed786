"""Which launcher this host gets."""

import logging
from pathlib import Path
from typing import Literal

from sandbox.bubblewrap import BubblewrapLauncher
from sandbox.docker.engine import find_address
from sandbox.docker.launcher import DockerOptions, NoImage, open_docker
from sandbox.environment import OPTIMIZATIONS
from sandbox.gpu.lease import Gpus
from sandbox.interface import IsolationDemand, Launcher, SandboxUnavailable
from sandbox.runtime import find_runtime

_log = logging.getLogger(__name__)


def choose_launcher(
    sandbox: Literal["auto", "docker", "bubblewrap"],
    runtime: Path,
    *,
    docker: DockerOptions | None = None,
    isolation: IsolationDemand = "any",
    cores_per_box: int = 1,
    cache_folder: Path | None = None,
    gpus: Gpus | None = None,
    optimizations: tuple[str, ...] = OPTIMIZATIONS,
) -> Launcher:
    """Docker where an engine answers that has our image, else bubblewrap. Raises SandboxUnavailable.

    Options for Docker ask for it, as naming it does: who wants another kernel around boxes must not get this one.

    Boxes read compiled programs from `cache_folder`, if there is one. With `gpus` they may have one of these.
    """
    if cache_folder is not None:
        _make_readable(cache_folder)
    is_asked_for = sandbox == "docker" or (sandbox == "auto" and docker not in (None, DockerOptions()))
    if is_asked_for or (sandbox == "auto" and find_address() is not None):
        try:
            return open_docker(
                docker or DockerOptions(),
                isolation=isolation,
                cores_per_box=cores_per_box,
                cache=cache_folder,
                gpus=gpus,
                optimizations=optimizations,
            )
        except SandboxUnavailable as error:
            if is_asked_for:
                raise
            level = logging.INFO if isinstance(error, NoImage) else logging.WARNING
            _log.log(level, "boxes are made by bubblewrap: %s", error)
    return BubblewrapLauncher(
        runtime=find_runtime(runtime),
        isolation=isolation,
        cores_per_box=cores_per_box,
        cache=cache_folder,
        gpus=gpus,
        optimizations=optimizations,
    )


def _make_readable(folder: Path) -> None:
    """A box is another user, at least as root and in a container, and must read it whatever the umask is."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
    except OSError as error:
        text = f"{folder} can't be made or opened to boxes ({error.strerror})"
        raise SandboxUnavailable(f"{text}: set ALLCLOSE_DATA to a folder of yours") from None
