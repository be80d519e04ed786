"""Create the launcher and the pools of boxes that the settings ask for.

With `ALLCLOSE_SANDBOX=auto`, the first worker of a data folder writes the kind of its boxes into a file there. Boxes
stay of this kind when a Docker Engine appears or goes.
"""

import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from app.capacity import count_background_slots
from app.catalog.manifest import Manifest
from app.settings import BadSetting, Settings
from sandbox.bubblewrap import BubblewrapLauncher
from sandbox.docker.launcher import DockerOptions
from sandbox.gpu.gpu_lease import Gpus
from sandbox.interface import BoxSpec, Launcher, SandboxUnavailable
from sandbox.launcher_choice import choose_launcher
from sandbox.pool import Pool

# XLA compiles on two cores in two thirds of the time, and compiling is most of a student's wait.
CORES_PER_BOX = 2
# Idle boxes of other kinds, besides one per slot; about 150 MiB of memory each.
WAITING = 6
# References run in boxes that hold nothing else. At most two prepare: an opened problem, and the known mistakes for a
# hint that a student waits for. So one is left for judgings.
REFERENCES = 3
CACHE_FOLDER = "compilation-cache"
KEPT_SANDBOX = "sandbox"
Sandbox = Literal["docker", "bubblewrap"]

_log = logging.getLogger(__name__)


# The kind of box that examines and runs exported programs.
INSPECTOR = BoxSpec(("jax",))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pools:
    """Boxes for submissions, and for programs exported from them."""

    students: Pool
    inspectors: Pool


def box_spec(manifest: Manifest) -> BoxSpec:
    """Return the kind of box that runs a problem's code."""
    return BoxSpec(frameworks=tuple(sorted(manifest.frameworks)), gpu=manifest.limits.gpu)


def open_launcher(settings: Settings, *, cache: Path | None, gpus: Gpus | None = None) -> Launcher:
    """Open the launcher; `gpus`: the GPUs that boxes may use.

    Raises SandboxUnavailable: without a sandbox nothing is judged. Raises BadSetting if ALLCLOSE_RUNTIME has no effect.
    """
    kept = find_kept_sandbox(settings)
    try:
        launcher = choose_launcher(
            kept or settings.sandbox,
            settings.runtime,
            docker=docker_options(settings),
            isolation=settings.isolation,
            cores_per_box=CORES_PER_BOX,
            cache_folder=cache if "library_cache" in settings.chosen_optimizations else None,
            gpus=gpus,
            optimizations=settings.chosen_optimizations,
        )
    except SandboxUnavailable as error:
        if kept is None:
            raise
        why = f"{settings.data / KEPT_SANDBOX} keeps the first choice, {kept}; ALLCLOSE_SANDBOX changes it"
        raise SandboxUnavailable(f"{error} ({why})") from None
    if launcher.name == "docker" and "runtime" in settings.model_fields_set:
        raise BadSetting(
            f"ALLCLOSE_RUNTIME is {settings.runtime}, but Docker boxes have the frameworks of their image: "
            "unset it, or set ALLCLOSE_SANDBOX=bubblewrap"
        )
    return launcher


def find_kept_sandbox(settings: Settings) -> Sandbox | None:
    """Return the kind of box that the data folder keeps, if the settings leave the choice to Allclose."""
    if settings.sandbox != "auto" or docker_options(settings) != DockerOptions():
        return None
    try:
        kept = (settings.data / KEPT_SANDBOX).read_text().strip()
    except OSError:
        return None
    return cast(Sandbox, kept) if kept in ("docker", "bubblewrap") else None


def keep_sandbox(settings: Settings, launcher: Launcher) -> None:
    """Let the data folder keep the kind of box that `auto` has chosen."""
    if settings.sandbox != "auto" or find_kept_sandbox(settings):
        return
    file = settings.data / KEPT_SANDBOX
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{launcher.name}\n")
    except OSError as error:
        _log.warning("The kind of boxes is not kept: %s can't be written (%s)", file, error.strerror)
    else:
        _log.info("%s keeps the kind of boxes, %s. Set ALLCLOSE_SANDBOX to change it.", file, launcher.name)


def describe_boxes(settings: Settings, launcher: Launcher, *, gpu: bool) -> str:
    """Return a line that says what boxes are, and where their frameworks come from."""
    if isinstance(launcher, BubblewrapLauncher):
        folder, here = launcher.runtime.folder, Path.cwd()
        shown = folder.relative_to(here) if folder.is_relative_to(here) else folder
        return f"Boxes: bubblewrap, Python {launcher.runtime.python_version} and the frameworks of {shown}"
    return f"Boxes: Docker, the image {settings.image_cuda if gpu else settings.image_cpu}"


def docker_options(settings: Settings) -> DockerOptions:
    return DockerOptions(
        cpu_image=settings.image_cpu,
        cuda_image=settings.image_cuda,
        runtime=settings.docker_runtime,
        apparmor=settings.docker_apparmor,
    )


def cache_folder(settings: Settings) -> Path:
    return settings.data / CACHE_FOLDER


def find_cache(settings: Settings) -> Path | None:
    """Return the cache that a worker on this machine has filled, if there is one."""
    folder = cache_folder(settings)
    return folder if folder.is_dir() else None


def open_pool(settings: Settings, launcher: Launcher, capacity: int) -> AbstractContextManager[Pool]:
    return closing(Pool(launcher, capacity=capacity, max_runs=settings.max_runs))


def open_reference_pool(settings: Settings, launcher: Launcher) -> AbstractContextManager[Pool]:
    """Open a pool for the packages' own code. Its boxes never hold a submission."""
    return open_pool(settings, launcher, REFERENCES)


def open_pools(settings: Settings, launcher: Launcher) -> AbstractContextManager[Pools]:
    slots = settings.worker_slots
    return _open_two(settings, launcher, slots + WAITING, slots)


def open_background_pools(settings: Settings, launcher: Launcher) -> AbstractContextManager[Pools]:
    slots = count_background_slots(settings.worker_slots)
    return _open_two(settings, launcher, slots, slots)


@contextmanager
def _open_two(settings: Settings, launcher: Launcher, students: int, inspectors: int) -> Iterator[Pools]:
    with (
        open_pool(settings, launcher, students) as for_students,
        open_pool(settings, launcher, inspectors) as for_inspectors,
    ):
        yield Pools(students=for_students, inspectors=for_inspectors)
