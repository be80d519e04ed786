"""Watch the threads that the source begins."""

import _thread
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from sandbox.guest.notes import Origins

# The ways to begin a thread; some exist only in some versions of Python.
STARTERS = (
    (_thread, "start_new"),
    (_thread, "start_new_thread"),
    (_thread, "start_joinable_thread"),
    (threading, "_start_new_thread"),
    (threading, "_start_joinable_thread"),
)


def watch_threads(origins: Origins, watching: Callable[[], AbstractContextManager[object]]) -> None:
    """Run every new thread in `watching()`, and keep the line of the source that began it."""
    for module, name in STARTERS:
        if (start := getattr(module, name, None)) is not None:
            setattr(module, name, _watched(start, origins, watching))


def _watched(
    start: Callable[..., Any], origins: Origins, watching: Callable[[], AbstractContextManager[object]]
) -> Callable[..., Any]:
    def begin_watched(function: Callable[..., Any], *given: Any, **named: Any) -> Any:
        line = origins.find_line(sys._getframe(1))

        def run(*arguments: Any, **others: Any) -> None:
            if line is None:
                function(*arguments, **others)
                return
            thread = threading.get_ident()
            origins.started[thread] = line
            try:
                with watching():
                    function(*arguments, **others)
            finally:
                del origins.started[thread]  # another thread gets the number

        return start(run, *given, **named)

    return begin_watched
