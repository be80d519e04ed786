"""What JAX's libraries compile for a revision's solutions, done ahead: in trusted boxes, once for each revision.

The compiled programs go into a folder that students' boxes read (`sandbox.cache`). The library calls that led to them
are what spares make before they get a source (`spares.py`). Both come from the reference first, and then from the
package's known submissions, since students also call what the reference does not.
"""

import json
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from app.catalog.package import Package
from app.catalog.revision import digest
from app.judging.verdicts import Verdict
from app.worker.prepare import PreparedCase
from app.worker.request import box_spec, build_request, patient
from sandbox.cache import FillableLauncher, fill_cache
from sandbox.guest.codec import decode
from sandbox.interface import CaseInput, Launcher

CACHE_FOLDER = "compilation-cache"
# Which revisions have filled it and with which calls, by image; beside the cache, which students can read.
CALLS_FOLDER = "library-calls"
# Solutions that end, and do what students do.
USUAL = (Verdict.ACCEPTED, Verdict.WRONG_ANSWER, Verdict.REQUIREMENT_NOT_MET)

# How many of a package's solutions make a library call that spares make too.
USUAL_SOLUTIONS = 2


class CompilationCache:
    """Belongs to one data folder and one launcher; workers on other machines fill their own."""

    def __init__(self, data: Path, launcher: Launcher) -> None:
        self._calls = data / CALLS_FOLDER
        self._launcher = launcher

    def fill(self, package: Package, cases: Sequence[PreparedCase], abort: threading.Event) -> None:
        """By the reference, on every case. Does nothing for a revision that has done so. Raises SandboxError."""
        inputs = [CaseInput(case.name, case.inputs) for case in cases if not case.sealed]
        self._fill(package, "reference", package.reference, inputs, abort)

    def fill_more(self, package: Package, cases: Sequence[PreparedCase], abort: threading.Event) -> None:
        """By the known submissions, on a case of each shape. Raises SandboxError."""
        inputs = list(_one_of_each_shape([case for case in cases if not case.sealed]))
        for known in package.submissions:
            if known.verdict in USUAL and not abort.is_set():
                self._fill(package, f"{known.verdict}-{known.name}", known.source, inputs, abort)

    def calls(self, package: Package) -> tuple[bytes, ...]:
        """What solutions of the package call, as far as it has filled, in an order that tells nothing."""
        folder = self._folder(package)
        if folder is None or not folder.is_dir():
            return ()
        made = Counter(call for file in folder.iterdir() for call in json.loads(file.read_text()))
        # One solution's own habit is not worth a call in every spare.
        least = USUAL_SOLUTIONS if len(list(folder.iterdir())) > USUAL_SOLUTIONS else 1
        return tuple(sorted(bytes.fromhex(call) for call, times in made.items() if times >= least))

    def _fill(
        self, package: Package, name: str, source: str, inputs: Sequence[CaseInput], abort: threading.Event
    ) -> None:
        folder = self._folder(package)
        if folder is None or (folder / f"{name}.json").exists():
            return
        request = patient(build_request(package, source, inputs))
        filled = fill_cache(self._launcher, box_spec(package.manifest), request, abort)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.json").write_text(json.dumps([call.hex() for call in sorted(filled.calls)]))

    def _folder(self, package: Package) -> Path | None:
        """None: this launcher's boxes read no cache."""
        if not isinstance(self._launcher, FillableLauncher):
            return None
        return self._calls / self._launcher.image / digest(package.files)


def _one_of_each_shape(cases: Sequence[PreparedCase]) -> Iterator[CaseInput]:
    met: set[str] = set()
    for case in cases:
        shapes = str(_shapes(decode(case.inputs)))
        if shapes not in met:
            met.add(shapes)
            yield CaseInput(case.name, case.inputs)


def _shapes(tree: object) -> object:
    """The tree with shape and dtype in place of each array."""
    if isinstance(tree, dict):
        return {key: _shapes(item) for key, item in tree.items()}
    if isinstance(tree, list | tuple):
        return [_shapes(item) for item in tree]
    return (tree.shape, str(tree.dtype)) if isinstance(tree, np.ndarray) else tree
