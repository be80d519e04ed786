"""The Docker launcher: opens each box as a container, from an image that holds the guest and the frameworks."""

import io
import os
import tarfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from sandbox.docker.container import DockerContainer, remove
from sandbox.docker.engine_client import Facilities, answering, connect, read_facilities
from sandbox.docker.orphans import LABEL, remove_orphans, this_process
from sandbox.docker.seccomp_profile import docker_profile
from sandbox.environment import (
    CACHE_IN_BOX,
    GUEST_IN_BOX,
    GUEST_UID,
    OPTIMIZATIONS,
    RUNTIME_IN_BOX,
    Cores,
    digest_of,
    guest_arguments,
    guest_digest,
    guest_environment,
)
from sandbox.gpu.box import open_bound
from sandbox.gpu.driver import Gpu
from sandbox.gpu.gpu_lease import Gpus
from sandbox.guest.confinement import Surroundings
from sandbox.guest_box import GuestBox, open_box, require_frameworks
from sandbox.interface import Box, BoxLost, BoxSpec, IsolationDemand, Launcher, SandboxUnavailable

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.containers import Container
    from docker.types import DeviceRequest, Mount

# The digest of the image's guest. Docker alone can't compute it while it builds an image, and leaves the label empty.
GUEST_LABEL = "org.allclose.guest"
_NO_DIGEST = (None, "")
TMP_OPTIONS = "size=64m,nr_inodes=4096,mode=1777,nosuid,nodev,noexec"
# Mounts of the engine that boxes don't need. Queue names would outlive a submission, terminals expose much kernel code,
# and /sys describes the host.
COVERED = dict.fromkeys(("/dev/mqueue", "/dev/pts", "/sys"), "ro,size=4k,nr_inodes=16,mode=555,nosuid,nodev,noexec")
# NVIDIA's driver finds its devices in /sys.
COVERED_BESIDE_GPU = {path: options for path, options in COVERED.items() if path != "/sys"}
# Shared pages of /dev/zero are charged to no process, so it is hidden twice. gVisor ignores masked paths, and a
# rootless engine ignores a file mounted over it. The other paths are the engine's defaults, which this list replaces.
ZERO = "/dev/zero"
MASKED = (
    ZERO,
    "/proc/acpi",
    "/proc/asound",
    "/proc/interrupts",
    "/proc/kcore",
    "/proc/keys",
    "/proc/latency_stats",
    "/proc/sched_debug",
    "/proc/scsi",
    "/proc/timer_list",
    "/proc/timer_stats",
)
# A box's initial memory limit, without its overhead.
FIRST_BYTES = 2**30
# Memory on top of the student's limit: the guest, the frameworks, /tmp and the kernel's own. With a GPU also the host
# memory of NVIDIA's libraries.
OVERHEAD_BYTES = 2 * 2**30
GPU_OVERHEAD_BYTES = 5 * 2**30
# Threads of the zygote and the monitor.
OTHER_THREADS = 64
# The error of an engine that can't pass a GPU on.
NO_TOOLKIT = "could not select device driver"
# When the host runs out of memory, the kernel ends a box first.
OOM_SCORE = 500
LEAST_SHARES = 2  # the kernel's minimum


@dataclass(frozen=True, slots=True, kw_only=True)
class DockerOptions:
    """The images by name. `runtime`: an OCI runtime that the engine has. `apparmor`: replaces the engine's profile."""

    cpu_image: str = "allclose-cpu"
    cuda_image: str = "allclose-cuda"
    runtime: str | None = None
    apparmor: str | None = None


@dataclass(frozen=True, kw_only=True)
class DockerLauncher(Launcher):
    """`image`: its ID when the launcher was made. A newer image is used after the next start."""

    engine: "DockerClient"
    image: str
    options: DockerOptions
    facilities: Facilities
    isolation: IsolationDemand = "any"
    cores_per_box: int = 1
    cache: Path | None = None
    gpus: Gpus | None = None
    optimizations: tuple[str, ...] = OPTIMIZATIONS
    name: str = "docker"
    _cores: Cores = field(default_factory=Cores)

    def check_guest(self, name: str) -> None:
        """Compare the image's guest with this version's if the label has no digest. Raises SandboxUnavailable."""
        with answering("to show a guest"):
            if self.engine.images.get(name).labels.get(GUEST_LABEL) not in _NO_DIGEST:
                return
        cores = self._cores.take(1)
        try:
            container = self._create(BoxSpec(()), cores, None)
            try:
                with answering("to show a guest"):
                    pieces = b"".join(container.get_archive(str(GUEST_IN_BOX))[0])
            finally:
                remove(container)
        finally:
            self._cores.give_back(cores)
        if digest_of(_files_of(pieces)) != guest_digest():
            raise _another_version(name)

    def launch(self, spec: BoxSpec) -> Box:
        if not spec.gpu:
            return self._open(spec, None)
        try:
            return open_bound(self.gpus, lambda gpu: self._open(spec, gpu))
        except SandboxUnavailable as error:
            if NO_TOOLKIT not in str(error):
                raise
            remedy = (
                "install NVIDIA's container toolkit (`allclose doctor` shows how), or set ALLCLOSE_SANDBOX=bubblewrap"
            )
            raise SandboxUnavailable(f"{error}: {remedy}") from None

    def _open(self, spec: BoxSpec, gpu: Gpu | None) -> GuestBox:
        cores = self._cores.take(self.cores_per_box)
        try:
            container = self._create(spec, cores, gpu)
        except BaseException:
            self._cores.give_back(cores)
            raise
        room_bytes = self._room_bytes(gpu) if self.facilities.memory else None
        vessel = DockerContainer(container, room_bytes, _overhead_bytes(gpu), lambda: self._cores.give_back(cores))
        try:
            box = open_box(vessel, self.image)
        except BoxLost as error:
            with answering("to open a box"):
                self.engine.ping()
            raise SandboxUnavailable(f"Docker can't open a box ({error}): run `allclose doctor`") from None
        if self.isolation == "namespaces" and box.ready.isolation != "namespaces":
            box.close()
            text = "this engine refuses namespaces in its boxes, and ALLCLOSE_ISOLATION requires them"
            raise SandboxUnavailable(f"{text}: run `allclose doctor`")
        return require_frameworks(box, spec, "make images FRAMEWORKS=")

    def _create(self, spec: BoxSpec, cores: tuple[int, ...], gpu: Gpu | None) -> "Container":
        program = [
            str(RUNTIME_IN_BOX / "bin" / "python"),
            *guest_arguments(spec, self.isolation, cores, self.optimizations, gpu),
        ]
        from docker.types import LogConfig

        host_config = self.engine.api.create_host_config(
            auto_remove=True,
            log_config=LogConfig(type=LogConfig.types.NONE),
            runtime=self.options.runtime,
            device_requests=_requests(gpu),
            **self._walls(gpu),
            **self._limits(cores, gpu),
        )
        with answering("to make a box"):
            made = self.engine.api.create_container(
                self.image.removeprefix("docker:"),
                program,
                user=f"{GUEST_UID}:{GUEST_UID}",
                hostname="box",
                environment=guest_environment(len(cores), gpu),
                working_dir="/tmp",
                name=f"allclose-{token_hex(6)}",
                labels={LABEL: this_process()},
                stdin_open=True,
                stop_signal="SIGKILL",
                use_config_proxy=False,
                host_config={**host_config, "MaskedPaths": MASKED},
            )
            return self.engine.containers.get(made["Id"])

    def _room_bytes(self, gpu: Gpu | None) -> int:
        """Return the first memory limit. gVisor can't raise it later, so its boxes get half of the host's memory."""
        first_bytes = FIRST_BYTES + _overhead_bytes(gpu)
        return first_bytes if self.options.runtime is None else max(first_bytes, self.facilities.host_bytes // 2)

    def _walls(self, gpu: Gpu | None) -> dict[str, Any]:
        profile = docker_profile(namespaces=self.isolation != "shared", gpu=gpu is not None)
        covered = COVERED if gpu is None else COVERED_BESIDE_GPU
        own = [] if self.options.apparmor is None else [f"apparmor={self.options.apparmor}"]
        return {
            "cap_drop": ["ALL"],
            "security_opt": ["no-new-privileges=true", f"seccomp={profile}", *own],
            "network_mode": "none",
            # Otherwise a file would show the host's settings.
            "dns": ["127.0.0.1"],
            "dns_search": ["."],
            "ipc_mode": "none",
            "read_only": True,
            "tmpfs": {"/tmp": TMP_OPTIONS, **covered},
            "mounts": self._mounts(),
            "oom_score_adj": OOM_SCORE,
        }

    def _mounts(self) -> "list[Mount]":
        from docker.types import Mount

        zero = Mount(ZERO, "/dev/null", type="bind", read_only=True)
        if self.cache is None:
            return [zero]
        return [zero, Mount(str(CACHE_IN_BOX), str(self.cache.absolute()), type="bind", read_only=True)]

    def _limits(self, cores: tuple[int, ...], gpu: Gpu | None) -> dict[str, Any]:
        """Return the limits that this engine can set. The guest's own limits apply everywhere."""
        limits: dict[str, Any] = {}
        if self.facilities.memory:
            limits |= {"mem_limit": self._room_bytes(gpu), "memswap_limit": self._room_bytes(gpu)}
        if self.facilities.pids:
            memory_bytes = None if gpu is None else gpu.memory_bytes
            students = Surroundings(isolation="shared", cores=cores, all_cores=cores, gpu_memory_bytes=memory_bytes)
            limits["pids_limit"] = students.thread_limit + OTHER_THREADS
        if self.facilities.cpuset:
            limits["cpuset_cpus"] = ",".join(map(str, cores))
        niceness = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
        if self.facilities.shares and niceness > 0:
            # The engine does not pass niceness on; use the kernel's weight for it, relative to the usual 1024.
            limits["cpu_shares"] = max(LEAST_SHARES, round(1024 / 1.25**niceness))
        return limits


def _files_of(archive: bytes) -> dict[str, bytes]:
    """Map the paths below the requested folder to their contents."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as members:
        files = ((member.name.partition("/")[2], members.extractfile(member)) for member in members)
        return {name: file.read() for name, file in files if file is not None}


def _overhead_bytes(gpu: Gpu | None) -> int:
    return OVERHEAD_BYTES if gpu is None else GPU_OVERHEAD_BYTES


def _requests(gpu: Gpu | None) -> "list[DeviceRequest] | None":
    """NVIDIA's runtime adds the device files and the driver's libraries."""
    from docker.types import DeviceRequest

    if gpu is None:
        return None
    return [DeviceRequest(driver="nvidia", device_ids=[gpu.uuid], capabilities=[["gpu", "compute", "utility"]])]


def open_docker(
    options: DockerOptions,
    *,
    isolation: IsolationDemand = "any",
    cores_per_box: int = 1,
    cache: Path | None = None,
    gpus: Gpus | None = None,
    optimizations: tuple[str, ...] = OPTIMIZATIONS,
) -> DockerLauncher:
    """Connect to the engine, and remove boxes of this host's dead workers. Raises SandboxUnavailable."""
    engine = connect()
    facilities = read_facilities(engine, options.runtime)
    name = options.cpu_image if gpus is None else options.cuda_image
    image = find_image(engine, name)
    remove_orphans(engine)
    launcher = DockerLauncher(
        engine=engine,
        image=image,
        options=options,
        facilities=facilities,
        isolation=isolation,
        cores_per_box=cores_per_box,
        cache=cache,
        gpus=gpus,
        optimizations=optimizations,
    )
    launcher.check_guest(name)
    return launcher


class NoImage(SandboxUnavailable):
    """The boxes' image has not been built here."""


def _remedy(image: str) -> str:
    if image in (DockerOptions().cpu_image, DockerOptions().cuda_image):
        return "run `make images`"
    return f"correct or unset ALLCLOSE_IMAGE_CPU or ALLCLOSE_IMAGE_CUDA, which name {image}"


def find_image(engine: "DockerClient", name: str) -> str:
    """Return the image's ID. Raises SandboxUnavailable when it is missing or holds another version of the guest."""
    from docker.errors import ImageNotFound

    with answering(f"to show the image {name}"):
        try:
            image = engine.images.get(name)
        except ImageNotFound:
            raise NoImage(f"the Docker Engine has no image {name}: {_remedy(name)}") from None
    if image.labels.get(GUEST_LABEL) not in (*_NO_DIGEST, guest_digest()):
        raise _another_version(name)
    return f"docker:{image.id}"


def _another_version(image: str) -> SandboxUnavailable:
    text = f"the image {image} is from another version (its guest was built from other sources)"
    return SandboxUnavailable(f"{text}: {_remedy(image)}")
