"""Compiled library functions for students' boxes: filled once per revision, by running its reference."""

import threading
from collections.abc import Sequence
from pathlib import Path

from app.catalog.package import Package
from app.catalog.revision import digest
from app.worker.prepare import PreparedCase
from app.worker.request import box_spec, build_request, patient
from sandbox.cache import FillableLauncher, fill_cache
from sandbox.interface import CaseInput, Launcher

CACHE_FOLDER = "compilation-cache"
# Which revisions have filled it, by image; beside the cache, which students can read.
FILLED_FOLDER = "compilation-cache-filled"


class CompilationCache:
    """Belongs to one data folder and one launcher; workers on other machines fill their own."""

    def __init__(self, data: Path, launcher: Launcher) -> None:
        self._filled = data / FILLED_FOLDER
        self._launcher = launcher

    def fill(self, package: Package, cases: Sequence[PreparedCase], abort: threading.Event) -> None:
        """Does nothing for a revision that has filled it already, with the same libraries. Raises SandboxError."""
        if not isinstance(self._launcher, FillableLauncher):
            return
        mark = self._filled / self._launcher.image / digest(package.files)
        if mark.exists():
            return
        inputs = [CaseInput(case.name, case.inputs) for case in cases if not case.sealed]
        request = patient(build_request(package, package.reference, inputs))
        fill_cache(self._launcher, box_spec(package.manifest), request, abort)
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
