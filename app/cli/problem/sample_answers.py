"""The reference's answers to the samples, computed in a box while the preview is shown."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from threading import Condition, Event, Thread
from typing import TYPE_CHECKING, Any

from app.catalog.package import Package
from app.errors import AllcloseError, JudgeFailed
from app.settings import Settings
from sandbox.interface import Aborted, SandboxError

if TYPE_CHECKING:
    from sandbox.pool import Pool

# The samples are the same in every variant and for every secret.
NO_SECRET = b"preview"


@dataclass(frozen=True, slots=True)
class Answers:
    """`previews`: inputs and expected output by sample. `notice` or `failure`, the reference's: why there are none."""

    previews: Mapping[str, tuple[Any, Any]]
    notice: str
    failure: str = ""


class SampleAnswers:
    """One thread, with one pool of boxes; only the package that was wanted last is worth an answer."""

    def __init__(self, settings: Settings, take: Callable[[Package, Answers], None]) -> None:
        self._settings = settings
        self._take = take
        self._changed = Condition()
        self._wanted: Package | None = None
        self._is_closed = False
        self._abort = Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def want(self, package: Package) -> None:
        self._set(package)

    def forget(self) -> None:
        self._set(None)

    def close(self) -> None:
        with self._changed:
            self._is_closed = True
        self._set(None)
        self._thread.join()

    def _set(self, package: Package | None) -> None:
        with self._changed:
            self._wanted = package
            self._abort.set()
            self._changed.notify()

    def _run(self) -> None:
        with ExitStack() as stack:
            pool: Pool | None = None
            while (package := self._next()) is not None:
                try:
                    pool = pool or stack.enter_context(self._open_pool())
                    self._take(package, _answer(package, pool, self._abort))
                except Aborted:
                    continue
                except JudgeFailed as failed:
                    # A box knows what it runs by one name.
                    said = str(failed).replace('File "solution.py"', 'File "reference.py"')
                    self._take(package, Answers({}, "", said))
                except (AllcloseError, SandboxError) as error:
                    self._take(package, Answers({}, f"the samples have no outputs yet: {error}"))

    def _next(self) -> Package | None:
        with self._changed:
            self._changed.wait_for(lambda: self._wanted is not None or self._is_closed)
            package, self._wanted = self._wanted, None
            self._abort.clear()
            return None if self._is_closed else package

    def _open_pool(self) -> AbstractContextManager["Pool"]:
        """Raises SandboxUnavailable."""
        from app.worker.boxes import find_cache, open_launcher, open_reference_pool

        launcher = open_launcher(self._settings, cache=find_cache(self._settings))
        return open_reference_pool(self._settings, launcher)


def _answer(package: Package, pool: "Pool", abort: Event) -> Answers:
    """Raises ReferenceFailed, BoxLost, Aborted."""
    from app.worker.prepare import Draw, prepare

    manifest = package.manifest
    if manifest.limits.gpu:
        return Answers({}, "the samples of a problem for GPUs get their outputs on a server")
    samples = tuple(case for case in manifest.cases if case.visibility == "sample")
    only_samples = replace(package, manifest=manifest.model_copy(update={"cases": samples}))
    prepared = prepare(only_samples, Draw(NO_SECRET, 0), pool, abort)
    return Answers({case.name: (case.inputs_preview, case.expected_preview) for case in prepared.cases}, "")
