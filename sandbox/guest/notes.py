"""The record of watching code, and the question whose code runs, in all threads.

A note leaves the process at once, through a pipe to the monitor, so the source can't take it back. Everything else that
watches is in the student's own process, and hostile code can blind it: notes are evidence and no proof.
"""

import _thread
import os
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from os.path import samestat
from pathlib import Path
from threading import get_ident
from types import CodeType, FrameType
from typing import Any

from sandbox.guest.failure import SOURCE_NAME
from sandbox.guest.wire import NOTE_LINE, PLACE, NoteKind

GUEST, STANDARD_LIBRARY = str(Path(__file__).parent), str(Path(os.__file__).parent)
LAYERS, PACKAGES = "/torch/nn/modules/", "-packages/"
# The ways to begin a thread; some exist only in some versions of Python.
STARTERS = (
    (_thread, "start_new"),
    (_thread, "start_new_thread"),
    (_thread, "start_joinable_thread"),
    (threading, "_start_new_thread"),
    (threading, "_start_joinable_thread"),
)


class Record:
    """Notes what it has not noted before."""

    def __init__(self) -> None:
        self._noted: set[tuple[str, str]] = set()
        self._write, self._stat = os.write, os.fstat
        self._pipe, self._is_kept = self._stat(PLACE), True

    def note(self, kind: NoteKind, name: str, line: int) -> None:
        if (kind, name) not in self._noted:
            self._noted.add((kind, name))
            if self.is_kept():
                self._write(PLACE, NOTE_LINE.format(kind=kind, name=name, line=line).encode("ascii", "replace"))

    def is_kept(self) -> bool:
        """Whether the pipe to the monitor was in its place now and at each note."""
        try:
            self._is_kept = self._is_kept and samestat(self._pipe, self._stat(PLACE))
        except OSError:
            self._is_kept = False
        return self._is_kept


class Origins:
    """Tells the source's code from the libraries', by its file. `started`: the lines that began the threads."""

    def __init__(self) -> None:
        folders = {path for path in sys.path if path.startswith("/") and not path.startswith("/tmp")}
        self._roots = (*folders, STANDARD_LIBRARY, GUEST, sys.prefix, "<frozen ", "driver.py")
        self._claimed = {SOURCE_NAME}
        self.started: dict[int, int] = {}

    def claim(self, file: str) -> None:
        """Take code with this file name for the source's: the source made such code."""
        self._claimed.add(file)

    def is_library(self, file: str) -> bool:
        return file.startswith(self._roots)

    def is_own(self, code: CodeType) -> bool:
        """Whether it is the source's. Generated code counts if the source generated it."""
        file = code.co_filename
        return file in self._claimed or not (file.startswith("<") or self.is_library(file))

    def find_line(self, frame: FrameType | None, name: str | None = None) -> int | None:
        """Return the line of the source that calls, or None if a library calls for its own purposes.

        `name`: of the called function. A library that does not name it was given the function by its own caller.
        """
        while frame is not None:
            if self.is_own(frame.f_code):
                return self._line_of(frame)
            if not _calls_for_its_caller(frame.f_code, name):
                return None
            frame = frame.f_back
        return self.started.get(get_ident())

    def find_line_below(self, frame: FrameType | None) -> int | None:
        """Return the innermost line of the source, however deep in a library the frame is."""
        while frame is not None and not self.is_own(frame.f_code):
            frame = frame.f_back
        return self.started.get(get_ident()) if frame is None else self._line_of(frame)

    def calls_for_itself(self, code: CodeType) -> bool:
        """Whether calls by this code can't be the source's, whatever it calls."""
        return not self.is_own(code) and not _calls_for_its_caller(code, None)

    def _line_of(self, frame: FrameType | None) -> int:
        while frame is not None and frame.f_code.co_filename != SOURCE_NAME:
            frame = frame.f_back
        return self.started.get(get_ident(), 0) if frame is None else frame.f_lineno


def is_guest(code: CodeType) -> bool:
    return code.co_filename.startswith(GUEST)


def is_of_standard_library(file: str) -> bool:
    return file.startswith("<frozen ") or (file.startswith(STANDARD_LIBRARY) and PACKAGES not in file)


def _calls_for_its_caller(code: CodeType, name: str | None) -> bool:
    """Whether the code is the guest's, a layer, generated, of the standard library, or does not name the function."""
    file = code.co_filename
    if file.startswith((GUEST, "<")) or LAYERS in file or is_of_standard_library(file):
        return True
    return name is not None and file != "driver.py" and name not in code.co_names and name not in code.co_consts


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
            thread = get_ident()
            origins.started[thread] = line
            try:
                with watching():
                    function(*arguments, **others)
            finally:
                del origins.started[thread]  # another thread gets the number

        return start(run, *given, **named)

    return begin_watched
