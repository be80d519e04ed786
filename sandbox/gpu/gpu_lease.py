"""GPUs of one worker: which GPU each box is bound to, and which run may compute on it now.

A box is bound to one GPU for its life and sees no other. Several boxes may share a GPU: an idle box holds no memory
there, because its zygote never creates a CUDA context. Only one run at a time has the GPU. A run that holds a GPU waits
for no other lock, so there is no deadlock between pools.
"""

import socket
import threading
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sandbox.gpu.driver import Driver, Gpu, Use
from sandbox.interface import Aborted, DeviceLost, SandboxUnavailable

LISTEN_SECONDS = 0.2


class Gpus:
    """The GPUs of one worker. `devices`: the folder of their device files."""

    def __init__(self, driver: Driver, gpus: Sequence[Gpu], devices: Path = Path("/dev")) -> None:
        self._driver, self.devices = driver, devices
        self.gpus = tuple(gpus)
        self._boxes: Counter[Gpu] = Counter()
        self._queues: dict[Gpu, deque[object]] = {gpu: deque() for gpu in gpus}
        self._lost: dict[Gpu, DeviceLost] = {}
        self._changed = threading.Condition()

    def bind(self) -> Gpu:
        """Return the GPU with the fewest boxes, for a new box. Raises DeviceLost when no GPU is left."""
        with self._changed:
            if self.are_lost:
                raise self._lost[self.gpus[-1]]
            fewest = min((gpu for gpu in self.gpus if gpu not in self._lost), key=lambda gpu: self._boxes[gpu])
            self._boxes[fewest] += 1
            return fewest

    def unbind(self, gpu: Gpu) -> None:
        with self._changed:
            self._boxes[gpu] -= 1

    def use_of(self, gpu: Gpu) -> Use:
        """Raises DeviceLost; from then on no box is bound to this GPU."""
        if gpu in self._lost:
            raise self._lost[gpu]
        try:
            return self._driver.use_of(gpu)
        except DeviceLost as error:
            with self._changed:
                self._lost[gpu] = error
                self._changed.notify_all()
            raise

    def is_lost(self, gpu: Gpu) -> bool:
        return gpu in self._lost

    @property
    def are_lost(self) -> bool:
        return len(self._lost) == len(self.gpus)

    def queue_length(self, gpu: Gpu) -> int:
        """Count the runs that have this GPU or wait for it."""
        return len(self._queues[gpu])

    @contextmanager
    def lock(self, gpu: Gpu, abort: threading.Event) -> Iterator[None]:
        """Hold the GPU alone, in first-come order. Raises Aborted, DeviceLost."""
        mine, waiting = object(), self._queues[gpu]
        with self._changed:
            waiting.append(mine)
        try:
            self._await(gpu, mine, abort)
            yield
        finally:
            with self._changed:
                waiting.remove(mine)
                self._changed.notify_all()

    def _await(self, gpu: Gpu, mine: object, abort: threading.Event) -> None:
        with self._changed:
            while True:
                if abort.is_set():
                    raise Aborted
                if gpu in self._lost:
                    raise self._lost[gpu]
                if self._queues[gpu][0] is mine:
                    return
                self._changed.wait(LISTEN_SECONDS)


@contextmanager
def reserved(gpus: Sequence[Gpu]) -> Iterator[None]:
    """Reserve the GPUs for this process on this machine. Raises SandboxUnavailable when another worker has one.

    The reservations are names of abstract sockets, which end with the process.
    """
    with ExitStack() as stack:
        for gpu in gpus:
            name = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            try:
                name.bind(f"\0allclose/gpu/{gpu.uuid}")
            except OSError:
                text = f"another worker on this machine already uses GPU {gpu.index}: stop it, or name other GPUs"
                raise SandboxUnavailable(text) from None
        yield
