"""Compile ahead, in trusted boxes, what JAX's libraries compile for a revision's solutions, once per revision.

The compiled programs go into a folder that students' boxes read (`sandbox.library_cache`). Spares make the library
calls that led to them before they get a source (`spares.py`). Both come from the reference first, then from the
package's known submissions, since students also use calls that the reference does not. Further calls are learned from
students: their boxes report the calls, and a trusted box makes them.
"""

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from secrets import token_hex
from typing import Any
from uuid import UUID

import numpy as np

from app.catalog.folder import digest
from app.catalog.package import Package
from app.engine.boxes import box_spec
from app.engine.prepare import PreparedCase, shapes_of
from app.engine.request import build_request, patient
from app.judging.verdicts import Verdict
from sandbox.environment import guest_digest
from sandbox.guest.codec import decode, encode
from sandbox.interface import CaseInput, Launcher
from sandbox.library_cache import FillableLauncher, fill_cache, fill_with_calls, grant_library_calls, read_library_calls

# Holds a file per revision and solution with its calls. It is outside the cache folder, which students can read.
CALLS_FOLDER = "library-calls"
LEARNED = "learned-"
# Verdicts of solutions that end and do what students usually do.
LEARNABLE_VERDICTS = (Verdict.ACCEPTED, Verdict.WRONG_ANSWER, Verdict.REQUIREMENT_NOT_MET)

REFERENCE = "reference"
# Spares make a library call only if this many solutions make it: a call of one solution would reveal that solution.
LEAST_SOLUTIONS = 2
# Students learned from, per revision.
STUDENTS_LEARNED_FROM = 16
# A larger integer is probably not a count, and may be worth hiding.
LARGEST_COUNT = 64


class CompilationCache:
    """Belongs to one data folder and one launcher. Workers on other machines fill their own."""

    def __init__(self, data: Path, launcher: Launcher) -> None:
        self._calls = data / CALLS_FOLDER
        self._launcher = launcher
        self._filling: dict[Path | None, list[bytes]] = {}

    def fill(self, package: Package, cases: Sequence[PreparedCase], abort: threading.Event) -> None:
        """Fill the cache by running the reference on every open case, once per revision. Raises SandboxError."""
        inputs = [CaseInput(case.name, case.inputs) for case in cases if not case.sealed]
        self._fill(package, REFERENCE, package.reference, inputs, abort)

    def fill_more(self, package: Package, cases: Sequence[PreparedCase], abort: threading.Event) -> None:
        """Fill the cache by running the known submissions on a case of each shape. Raises SandboxError."""
        inputs = [CaseInput(case.name, case.inputs) for case in _one_of_each_shape(package, cases)]
        folder = self._folder(package)
        self._filling[folder] = []
        try:
            for known in package.submissions:
                if known.verdict in LEARNABLE_VERDICTS and not abort.is_set():
                    self._fill(package, f"{known.verdict}-{known.name}", known.source, inputs, abort)
        finally:
            del self._filling[folder]

    def may_learn(self, package: Package, student: UUID) -> bool:
        """Whether this student's calls may still be learned: once per student, up to a limit per revision."""
        file = self._file_of(package, student)
        if file is None:
            return False
        try:
            return not file.exists() and len(list(file.parent.glob(f"{LEARNED}*.json"))) < STUDENTS_LEARNED_FROM
        except OSError:
            return False

    def learn(
        self, package: Package, student: UUID, source: str, cases: Sequence[PreparedCase], abort: threading.Event
    ) -> None:
        """Learn calls from a student's source, run on inputs of the same shapes with other values. Raises SandboxError.

        A call of one student changes nothing for others. Once a second student makes it, every spare makes it, and it
        is compiled into the cache.
        """
        file = self._file_of(package, student)
        if file is None:
            return
        static = {parameter.name for parameter in package.manifest.case_inputs if parameter.static}
        inputs = [
            CaseInput(case.name, encode(_without_values(decode(case.inputs), static)))
            for case in _one_of_each_shape(package, cases)
        ]
        spec = box_spec(package.manifest)
        before = set(self.calls(package))
        _write(file, ())  # so that a source that kills its box is not run again
        calls = read_library_calls(self._launcher, spec, build_request(package, source, inputs), abort)
        _write(file, grant_library_calls(self._launcher, spec, calls - before, abort))
        if usual := set(self.calls(package)) - before:
            fill_with_calls(self._launcher, spec, usual, abort)

    def has_filled(self, package: Package) -> bool:
        """Whether the package's reference has filled the cache, or there is no cache."""
        folder = self._folder(package)
        return folder is None or _read(folder / f"{REFERENCE}.json") is not None

    def calls(self, package: Package) -> tuple[bytes, ...]:
        """Return the calls known so far, in an order that reveals nothing about solutions.

        Calls made only by students come last: a spare may have no time for them. While known submissions fill the
        cache, the first list found is returned. Otherwise each submission might add calls, and all spares would be
        remade.
        """
        folder = self._folder(package)
        if folder is None:
            return ()
        first = self._filling.get(folder)
        if first is None:
            return _usual_calls(folder)
        if not first:
            first.extend(_usual_calls(folder))
        return tuple(first)

    def _fill(
        self, package: Package, name: str, source: str, inputs: Sequence[CaseInput], abort: threading.Event
    ) -> None:
        folder = self._folder(package)
        if folder is None or _read(folder / f"{name}.json") is not None:
            return
        request = patient(build_request(package, source, inputs))
        filled = fill_cache(self._launcher, box_spec(package.manifest), request, abort)
        if filled is not None:
            _write(folder / f"{name}.json", filled.calls)

    def _file_of(self, package: Package, student: UUID) -> Path | None:
        folder = self._folder(package)
        name = hashlib.sha256(f"{student} {digest(package.files)}".encode()).hexdigest()
        return folder and folder / f"{LEARNED}{name[:16]}.json"

    def _folder(self, package: Package) -> Path | None:
        """Return the folder for this compiler and package, or None if this launcher's boxes read no cache."""
        launcher = self._launcher
        if not isinstance(launcher, FillableLauncher) or launcher.cache is None:
            return None
        compiler = f"{launcher.image} {guest_digest()} {launcher.optimizations}"
        return self._calls / hashlib.sha256(compiler.encode()).hexdigest() / digest(package.files)


def _usual_calls(folder: Path) -> tuple[bytes, ...]:
    made, own = Counter[bytes](), set[bytes]()
    for file in folder.glob("*.json"):
        calls = _read(file) or frozenset()
        made.update(calls)
        if not file.name.startswith(LEARNED):
            own |= calls
    usual = [call for call, times in made.items() if times >= LEAST_SOLUTIONS]
    return tuple(sorted(usual, key=lambda call: (call not in own, call)))


def _read(file: Path) -> frozenset[bytes] | None:
    """Return None if the file is missing or damaged."""
    try:
        return frozenset(map(bytes.fromhex, json.loads(file.read_text())))
    except (OSError, ValueError, TypeError):
        return None


def _write(file: Path, calls: Collection[bytes]) -> None:
    """Write atomically: another thread may read now, and this process may be killed."""
    file.parent.mkdir(parents=True, exist_ok=True)
    copy = file.with_suffix(f".{token_hex(4)}")
    copy.write_text(json.dumps(sorted(call.hex() for call in calls)))
    copy.replace(file)


def _one_of_each_shape(package: Package, cases: Sequence[PreparedCase]) -> list[PreparedCase]:
    is_open = [case for case in cases if not case.sealed]
    return [shape.cases[0] for shape in shapes_of(is_open, package.manifest.case_inputs)]


def _without_values(tree: Any, static: Collection[str]) -> Any:
    """Replace the values of a case's inputs by ones and zeros, and keep what determines shapes."""
    return {name: tree[name] if name in static else _blank(tree[name]) for name in tree}


def _blank(tree: Any) -> Any:
    match tree:
        case dict():
            return {key: _blank(item) for key, item in tree.items()}
        case list() | tuple():
            return type(tree)(map(_blank, tree))
        case np.ndarray():
            return np.ones_like(tree) if np.issubdtype(tree.dtype, np.inexact) else np.zeros_like(tree)
        case bool() | str() | None:
            return tree
        case int():
            return tree if abs(tree) <= LARGEST_COUNT else 0
    return type(tree)(1)
