"""How a worker is told to stop."""

import os
import signal


class Signals:
    """Counts SIGTERM and SIGINT, which may come at any time, for whoever waits for the first or the second.

    By way of a pipe: a handler may interrupt any line, also one that holds a lock which the handler would need. Made by
    the main thread.
    """

    def __init__(self) -> None:
        self._reader, writer = os.pipe()
        os.set_blocking(writer, False)
        # Python writes the signal's number the moment that it comes. A handler of ours would wait for the main thread.
        signal.set_wakeup_fd(writer)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)

    def wait(self) -> None:
        os.read(self._reader, 1)


def stop_this_worker() -> None:
    """As if it had been told to."""
    os.kill(os.getpid(), signal.SIGTERM)
