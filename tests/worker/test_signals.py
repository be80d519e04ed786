import os
import signal
import subprocess
import sys

import pytest

# Signals that come while the main thread is anywhere in `wait`: one for each time that it was counted.
COUNTING = """
import os, signal, threading
from app.worker_process import Signals

SIGNALS = 3000
signals, counted = Signals(), threading.Semaphore(1)

def send():
    for _ in range(SIGNALS):
        counted.acquire()
        os.kill(os.getpid(), signal.SIGTERM)

threading.Thread(target=send, daemon=True).start()
for _ in range(SIGNALS):
    signals.wait()
    counted.release()
"""


@pytest.mark.whole
def test_a_signal_at_any_moment_is_counted_and_blocks_nothing() -> None:
    ended = subprocess.run([sys.executable, "-c", COUNTING], timeout=30)

    assert ended.returncode == 0


WAITING_TWICE = """
import threading
from app.worker_process import Signals

signals = Signals()
print("ready", flush=True)
signals.wait()
second = threading.Thread(target=signals.wait)
second.start()
print("first", flush=True)
second.join()
"""


def test_the_second_signal_reaches_a_thread_while_the_main_thread_waits_for_it() -> None:
    with subprocess.Popen([sys.executable, "-c", WAITING_TWICE], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"

        os.kill(process.pid, signal.SIGTERM)
        assert process.stdout.readline() == "first\n"
        os.kill(process.pid, signal.SIGINT)

        assert process.wait(10) == 0


@pytest.mark.parametrize("is_signalled", [True, False])
def test_a_wait_for_a_signal_ends_with_its_time(is_signalled: bool) -> None:
    program = "from app.worker_process import Signals; import os; signals = Signals();"
    program += "os.kill(os.getpid(), 15);" if is_signalled else ""
    program += "signals.wait(0.01); signals.wait(0.01)"

    assert subprocess.run([sys.executable, "-c", program], timeout=30).returncode == 0
