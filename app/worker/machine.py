"""The name of the machine that a worker runs on."""

import platform
import socket
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path


def name_machine(gpus: Sequence[str] = ()) -> str:
    """The same for workers whose times may be compared."""
    return ", ".join([socket.gethostname(), _processor(), *gpus])


def _processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()
