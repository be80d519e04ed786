"""Compile ahead, in trusted boxes, what JAX's libraries compile for a revision's solutions, once per revision.

The compiled programs and calls go into a folder that students' boxes read (`sandbox.library_cache`). They come from the
reference first, then from the package's other right solutions. Known mistakes would add a call in a hundred.
"""

import hashlib
import threading
from collections.abc import Sequence
from pathlib import Path

from app.catalog.folder import digest
from app.catalog.package import Package
from app.engine.boxes import box_spec
from app.engine.prepare import PreparedCase, shapes_of
from app.engine.request import build_request, patient
from app.judging.verdicts import Verdict
from sandbox.environment import guest_digest
from sandbox.interface import Launcher
from sandbox.library_cache import CachingLauncher, fill_cache
from sandbox.pool import Pool

# Holds an empty file for each revision and solution that has filled the cache. Students' boxes don't read it.
FILLED_FOLDER = "compilation-cache-filled"
REFERENCE = "reference"


class CompilationCache:
    """Belongs to one data folder and one launcher. Workers on other machines fill their own.

    `pool`: boxes that never hold a submission.
    """

    def __init__(self, data: Path, launcher: Launcher, pool: Pool) -> None:
        self._filled, self._pool = data / FILLED_FOLDER, pool
        self._cache, self._compiler = None, ""
        if isinstance(launcher, CachingLauncher) and launcher.cache is not None:
            self._cache, self._compiler = launcher.cache, f"{launcher.image} {guest_digest()} {launcher.optimizations}"

    def fill(self, package: Package, cases: Sequence[PreparedCase], abort: threading.Event) -> None:
        """Fill the cache by running the reference on a case of each shape, once per revision. Raises SandboxError."""
        self._fill(package, REFERENCE, package.reference, cases, abort)

    def fill_more(self, package: Package, cases: Sequence[PreparedCase], abort: threading.Event) -> None:
        """Fill the cache with the other right solutions too. Then run all of them step by step, since many students
        write no loop of JAX, where the problem asks for none. Raises SandboxError.
        """
        others = {known.name: known.source for known in package.submissions if known.verdict is Verdict.ACCEPTED}
        runs = [(name, source, False) for name, source in others.items()]
        if not package.manifest.asks_for_programs:
            runs += [
                (f"{name}, eager", source, True) for name, source in {REFERENCE: package.reference, **others}.items()
            ]
        for name, source, eager in runs:
            if not abort.is_set():
                self._fill(package, name, source, cases, abort, eager=eager)

    def has_filled(self, package: Package) -> bool:
        """Whether the reference has filled the cache."""
        return self._mark(package, REFERENCE).exists()

    def _fill(
        self,
        package: Package,
        name: str,
        source: str,
        cases: Sequence[PreparedCase],
        abort: threading.Event,
        *,
        eager: bool = False,
    ) -> None:
        mark = self._mark(package, name)
        if self._cache is None or mark.exists() or "jax" not in box_spec(package.manifest).frameworks:
            return
        is_open = [case for case in cases if not case.sealed]
        first = [shape.cases[0] for shape in shapes_of(is_open, package.manifest.case_inputs)]
        inputs = [case.input for case in first]
        request = patient(build_request(package, source, inputs))
        with self._pool.lease(box_spec(package.manifest), abort) as box:
            fill_cache(self._cache, box, request, abort, eager=eager)
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()

    def _mark(self, package: Package, name: str) -> Path:
        what = f"{self._compiler} {digest(package.files)} {name}"
        return self._filled / hashlib.sha256(what.encode()).hexdigest()
