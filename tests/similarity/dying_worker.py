"""A worker process for similarity checks that is killed before its second batch of fingerprints.

usage: python -m tests.similarity.dying_worker URL NAME SLOTS LEASE BEAT      (the last two in seconds)
"""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import app.schema  # noqa: F401 (knows every table)
from app.database.engine import Database
from app.queue.heartbeat import Capacity
from app.queue.lease_loop import Rhythm
from app.similarity.comparer import Comparer
from sandbox.interface import Box, BoxSpec
from sandbox.launcher_choice import choose_launcher
from sandbox.pool import Pool
from tests.sandbox.bench import RUNTIME


class DyingPool(Pool):
    leases = 0

    @contextmanager
    def lease(self, spec: BoxSpec, abort: threading.Event) -> Iterator[Box]:
        self.leases += 1
        if self.leases == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        with super().lease(spec, abort) as box:
            yield box


def main(url: str, name: str, slots: str, *seconds: str) -> None:
    lease, beat = (timedelta(seconds=float(each)) for each in seconds)
    pool = DyingPool(choose_launcher("bubblewrap", RUNTIME), capacity=1, max_runs=100)
    capacity = Capacity(queues=["cpu"], slots=int(slots), worker=name)
    loop = Comparer(database=Database(url), pool=pool).loop(capacity, Rhythm(lease=lease, beat=beat))
    loop.start()
    signal.pause()


if __name__ == "__main__":
    main(*sys.argv[1:])
