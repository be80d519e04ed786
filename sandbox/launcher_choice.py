"""Choose the launcher that makes boxes on this host."""

import logging
from pathlib import Path
from typing import Literal

from sandbox.bubblewrap import BubblewrapLauncher
from sandbox.docker.engine_client import find_address
from sandbox.docker.launcher import DockerOptions, NoImage, open_docker
from sandbox.environment import OPTIMIZATIONS
from sandbox.gpu.gpu_lease import Gpus
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
    """Return the Docker launcher if an engine answers and has the image; otherwise the bubblewrap launcher.

    Raises SandboxUnavailable. Any Docker option counts as asking for Docker. When Docker was asked for, there is no
    fallback to bubblewrap, because it would give weaker isolation.

    Boxes read compiled programs from `cache_folder`, if given. With `gpus`, a box may be bound to one of them.
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
            _log.log(level, "Using bubblewrap for boxes: %s", error)
    return BubblewrapLauncher(
        runtime=find_runtime(runtime),
        isolation=isolation,
        cores_per_box=cores_per_box,
        cache=cache_folder,
        gpus=gpus,
        optimizations=optimizations,
    )


def _make_readable(folder: Path) -> None:
    """Create the folder and let every user read it: a box may run as another user, whatever the umask."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
    except OSError as error:
        text = f"{folder} can't be created or made readable for boxes ({error.strerror})"
        raise SandboxUnavailable(
            f"{text}: set ALLCLOSE_DATA to a folder that you own, on a disk with free space"
        ) from None
