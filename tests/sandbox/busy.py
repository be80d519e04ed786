"""Other processes that compete for the cores."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# Each in a session of its own: the kernel may share the cores out among sessions. They end with the first of them.
PROGRAM = """
import ctypes, os, signal
os.sched_setaffinity(0, {{{core}}})
for _ in range({processes} - 1):
    if os.fork() == 0:
        os.setsid()
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
        break
else:
    print(flush=True)
while True: pass
"""


@contextmanager
def busy(core: int, processes: int = 1) -> Iterator[None]:
    """Run this many processes that always want this core."""
    program = PROGRAM.format(core=core, processes=processes)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield
        finally:
            process.kill()
