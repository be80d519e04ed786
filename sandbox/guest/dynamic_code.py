"""Watch for code that the source makes while it runs, and for what could end or hide the watching.

Python raises an audit event wherever code is compiled, loaded or run, also from C, and no code of Python can remove an
audit hook. Libraries make code too, such as `dataclasses`. So an event counts if the source itself causes it, directly
or through a module whose purpose is to run the code that it is given.
"""

import sys
from collections.abc import Callable, Mapping
from types import CodeType, FrameType
from typing import Any

from sandbox.guest.notes import GUEST, STANDARD_LIBRARY, Origins, Record, is_guest, is_of_standard_library

NAMES: Mapping[str, str] = {
    "code.__new__": "a new code object",
    "compile": "`eval`, `exec` or `compile`",
    "exec": "`eval`, `exec` or `compile`",
    "marshal.loads": "marshal.loads",
}
# Events that give a function other code: the file of that code is the source's from then on.
GIVE_CODE = ("function.__new__", "object.__setattr__")
# Events that the source causes only to look for the record, or to end the watching.
TOUCHING = frozenset({"gc.get_objects", "gc.get_referents", "gc.get_referrers", "sys.monitoring.register_callback"})
# Modules that run the code, or call the function, that they are given, and make no code for themselves.
_RUNNERS = """
asyncio/ bdb.py code.py codeop.py concurrent/ contextlib.py cProfile.py doctest.py functools.py imp.py importlib/
pdb.py pickle.py pkgutil.py profile.py runpy.py sched.py threading.py timeit.py trace.py zipimport.py
"""
RUNNERS = ("<frozen ", GUEST, *(f"{STANDARD_LIBRARY}/{name}" for name in _RUNNERS.split()))
NUMPY_TESTING = "/numpy/testing/"


def watch_code(origins: Origins, record: Record) -> None:
    """Add the hook. It stays until the process ends."""
    sys.addaudithook(_CodeWatch(origins, record).hear)


class _CodeWatch:
    def __init__(self, origins: Origins, record: Record) -> None:
        self._origins, self._record = origins, record
        self._handlers: dict[str, Callable[[str, tuple[Any, ...], FrameType], None]] = {
            **dict.fromkeys(NAMES, self._hear_code),
            **dict.fromkeys(GIVE_CODE, self._hear_gift),
            **dict.fromkeys(TOUCHING, self._hear_touch),
            "_thread.start_new_thread": self._hear_touch,
            "import": self._hear_import,
            "sys.setprofile": self._hear_profile,
        }

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        handler = self._handlers.get(event)
        if handler is not None:
            handler(event, arguments, sys._getframe(1))

    def _hear_code(self, event: str, arguments: tuple[Any, ...], frame: FrameType) -> None:
        file = _file_of(event, arguments)
        name = NAMES[event]
        if not self._origins.is_own(frame.f_code):
            if file is None or self._origins.is_library(file):
                return
            runner: FrameType | None = frame
            while runner is not None and _is_runner(runner.f_code):
                name = name if is_guest(runner.f_code) else _name_of(runner.f_code, file)
                runner = runner.f_back
            if runner is not None and not self._origins.is_own(runner.f_code):
                return
        if (line := self._origins.find_line_below(frame)) is not None:
            if file is not None:
                self._origins.claim(file)
            self._record.note("code", name, line)

    def _hear_gift(self, _event: str, arguments: tuple[Any, ...], frame: FrameType) -> None:
        code = arguments[-1]
        if isinstance(code, CodeType) and self._origins.is_own(frame.f_code):
            self._origins.claim(code.co_filename)

    def _hear_touch(self, event: str, _arguments: tuple[Any, ...], frame: FrameType) -> None:
        """A thread that the source starts without `Threads` is not watched."""
        if self._origins.is_own(frame.f_code):
            self._record.note("touched", event, frame.f_lineno)

    def _hear_import(self, event: str, arguments: tuple[Any, ...], frame: FrameType) -> None:
        if str(arguments[0]).partition(".")[0] != "sandbox":
            return
        importer: FrameType | None = frame
        while importer is not None and is_of_standard_library(importer.f_code.co_filename):
            importer = importer.f_back
        if importer is not None and self._origins.is_own(importer.f_code):
            self._record.note("touched", f"{event} of {arguments[0]}", importer.f_lineno)

    def _hear_profile(self, event: str, _arguments: tuple[Any, ...], frame: FrameType) -> None:
        if not is_guest(frame.f_code) and (line := self._origins.find_line(frame)) is not None:
            self._record.note("touched", event, line)


def _file_of(event: str, arguments: tuple[Any, ...]) -> str | None:
    """Return the file name of the code, if the event tells it."""
    if event == "exec":
        return arguments[0].co_filename if isinstance(arguments[0], CodeType) else None
    file = arguments[1] if event in ("compile", "code.__new__") else None
    return file if isinstance(file, str) else None


def _is_runner(code: CodeType) -> bool:
    file = code.co_filename
    return file.startswith(RUNNERS) or NUMPY_TESTING in file


def _name_of(code: CodeType, file: str) -> str:
    """Name the module that runs code, or the file that is imported."""
    module = code.co_filename.rpartition("/")[2].removesuffix(".py")
    if module.startswith("<frozen importlib"):
        return f"import of {file}"
    return "numpy.testing" if NUMPY_TESTING in code.co_filename else module.strip("<>").removeprefix("frozen ")
