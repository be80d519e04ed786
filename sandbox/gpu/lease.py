"""Which GPU each box has, and whose turn it is to compute there.

A box is bound to one GPU for its life and sees no other. Several may be bound to the same one, since a box that waits
holds nothing there: its zygote never makes a CUDA context. A run does, and one run at a time has the GPU. Whoever runs
needs nothing else that others hold, so nobody waits for ever, whichever pool the boxes are of.
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
    """The GPUs of one worker. `devices`: the folder of their files."""

    def __init__(self, driver: Driver, gpus: Sequence[Gpu], devices: Path = Path("/dev")) -> None:
        self._driver, self.devices = driver, devices
        self.gpus = tuple(gpus)
        self._boxes: Counter[Gpu] = Counter()
        self._turns: dict[Gpu, deque[object]] = {gpu: deque() for gpu in gpus}
        self._lost: dict[Gpu, DeviceLost] = {}
        self._changed = threading.Condition()

    def bind(self) -> Gpu:
        """For a new box: the one that the fewest boxes have. Raises DeviceLost when none is left."""
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
        """Raises DeviceLost: from then on no box is given that GPU."""
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

    def count_turns(self, gpu: Gpu) -> int:
        """How many have it or wait for it."""
        return len(self._turns[gpu])

    @contextmanager
    def turn(self, gpu: Gpu, abort: threading.Event) -> Iterator[None]:
        """Alone on it, in the order of asking. Raises Aborted, DeviceLost."""
        mine, waiting = object(), self._turns[gpu]
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
                if self._turns[gpu][0] is mine:
                    return
                self._changed.wait(LISTEN_SECONDS)


@contextmanager
def reserved(gpus: Sequence[Gpu]) -> Iterator[None]:
    """For this process alone, on this machine. Raises SandboxUnavailable when another worker has one of them.

    By names of sockets, which nobody has to clean up: they end with the process.
    """
    with ExitStack() as stack:
        for gpu in gpus:
            name = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            try:
                name.bind(f"\0allclose/gpu/{gpu.uuid}")
            except OSError:
                text = f"another worker on this machine judges on GPU {gpu.index} already: stop it, or name other GPUs"
                raise SandboxUnavailable(text) from None
        yield
