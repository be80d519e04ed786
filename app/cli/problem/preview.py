"""`allclose problem preview`: the problem's page, from the files on disk, renewed as they change.

What the preview shows: the package as it is on disk now, read again when a file has changed.

The reference's answers to the samples, computed in a box while the preview is shown.
"""

import json
import logging
import secrets
import signal
import socket
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Condition, Event, Lock, Thread
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from app.catalog.fault import Fault, PackageInvalid
from app.catalog.folder import digest
from app.catalog.package import Package
from app.catalog.query import ProblemDetail, SampleCase
from app.catalog.signature import described_signature
from app.cli.console import output
from app.cli.problem.package_source import NAMED, PackageSource, find_source
from app.errors import AllcloseError, JudgeFailed
from app.settings import Settings, read_settings
from app.web.preview import Shown
from sandbox.interface import Aborted, SandboxError

if TYPE_CHECKING:
    from fastapi import FastAPI

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


LOOK_SECONDS = 0.3
Signature = tuple[tuple[str, int, int], ...]


class PreviewedPackage:
    """A thread looks at the files, another has the reference answer the samples; `read` waits for neither."""

    def __init__(self, source: PackageSource, settings: Settings) -> None:
        self._source = source
        self._lock = Lock()
        # Not from 0: a page that is still open from an earlier preview must see that this is another.
        self._prefix, self._number = secrets.token_hex(4), 0
        self._package: Package | None = None
        self._shown: Shown
        self._signature: Signature | None = None
        self._ended = Event()
        self._answers = SampleAnswers(settings, self._take_answers)
        self._load()
        self._watcher = Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def read(self) -> Shown:
        with self._lock:
            return self._shown

    def close(self) -> None:
        self._ended.set()
        self._watcher.join()
        self._answers.close()

    def _watch(self) -> None:
        while not self._ended.wait(LOOK_SECONDS):
            if self._sign() != self._signature:
                self._load()

    def _load(self) -> None:
        # Before reading: what changes meanwhile is read again.
        self._signature = self._sign()
        try:
            package = self._source.load()
        except PackageInvalid as invalid:
            self._show_unread(invalid.problems, "")
        except (OSError, AllcloseError) as error:
            self._show_unread((), str(error))
        else:
            with self._lock:
                self._package = package
                self._show(_detail(package, {}), (), "The reference is answering the samples …")
            self._answers.want(package)

    def _show_unread(self, faults: tuple[Fault, ...], notice: str) -> None:
        with self._lock:
            self._package = None
            self._show(None, faults, notice)
        self._answers.forget()

    def _take_answers(self, package: Package, answers: Answers) -> None:
        """Of the package that was wanted last, unless it has changed since."""
        with self._lock:
            if package is self._package:
                self._show(_detail(package, answers.previews), (), answers.notice, answers.failure)

    def _show(self, problem: ProblemDetail | None, faults: tuple[Fault, ...], notice: str, failure: str = "") -> None:
        self._number += 1
        package = self._package
        self._shown = Shown(
            version=f"{self._prefix}-{self._number}",
            place=str(self._source.path),
            title=problem.title if problem else self._source.slug,
            problem=problem,
            faults=faults,
            notice=notice,
            failure=failure,
            hints=package.manifest.hints if package else (),
            quiz=package.manifest.quiz if package else (),
            editorial=(package.editorial or "") if package else "",
        )

    def _sign(self) -> Signature:
        """Names, times and sizes of what there is."""
        paths = [self._source.path] if self._source.is_single else sorted(self._source.path.rglob("*"))
        return tuple(filter(None, map(_sign, paths)))


def _sign(path: Path) -> tuple[str, int, int] | None:
    try:
        status = path.lstat()
    except OSError:
        return None  # it went while we looked
    return str(path), status.st_mtime_ns, status.st_size


def _detail(package: Package, previews: Mapping[str, tuple[Any, Any]]) -> ProblemDetail:
    """As students get it; `previews` are inputs and expected output of the samples, as far as they are known."""
    manifest = json.loads(package.manifest.model_dump_json())
    samples = [case for case in package.manifest.cases if case.visibility == "sample"]
    facts = {
        "slug": package.slug,
        "revision": None,
        "digest": digest(package.files),
        "statement": package.statement,
        "starter": package.starter,
        "samples": tuple(_sample(case.name, case.doc, previews) for case in samples),
        "hidden_cases": len(package.manifest.cases) - len(samples),
    }
    files = {path: content.decode() for path, content in package.files.items()}
    signature = described_signature(manifest | {"starter": package.starter}, files)
    return ProblemDetail.model_validate(manifest | signature | facts)


def _sample(name: str, doc: str | None, previews: Mapping[str, tuple[Any, Any]]) -> SampleCase:
    inputs, expected = previews.get(name, (None, None))
    return SampleCase(name=name, doc=doc, inputs=inputs, expected=expected)


PORT = 8001


class PortInUse(AllcloseError):
    """Something else listens where the preview should be."""


def preview(
    problem: Annotated[str, typer.Argument(help=NAMED)],
    port: Annotated[int, typer.Option(help="Where to listen on this machine; 0 for any that is free.")] = PORT,
) -> None:
    """Show a package's page as students will see it, and show it anew whenever a file changes.

    What is wrong with the package stands on the page, with file, line and remedy. Needs no server and no database.
    Where this machine can open a box, the reference's answers to the samples appear once they are there.
    """
    from app.api.response_headers import ResponseHeaders
    from app.cli.problem.preview import PreviewedPackage
    from app.web.preview import create_preview

    source, settings = find_source(problem), read_settings()
    with _listen(port) as listening, closing(PreviewedPackage(source, settings)) as shelf:
        page = create_preview(source.slug, shelf.read)
        page.add_middleware(ResponseHeaders)
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/problems/{source.slug}"
        _serve(page, listening, f"The page of {escape(source.slug)} is at [bold]{escape(address)}[/]")


def _listen(port: int) -> socket.socket:
    """Raises PortInUse."""
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
        listening.listen()
    except (OSError, OverflowError) as error:
        listening.close()
        raise PortInUse(f"can't listen on port {port} ({error}): choose another with --port, or --port 0") from None
    return listening


def _serve(page: "FastAPI", listening: socket.socket, greeting: str) -> None:
    """Until Ctrl-C."""
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            output.print(greeting, soft_wrap=True)
            output.print("It follows the files. Ctrl-C ends it.")

    # An open page holds its stream of changes for as long as it likes, and that it is cut off is no news.
    logging.getLogger("uvicorn.error").addFilter(lambda record: not record.getMessage().startswith("Cancel "))
    config = uvicorn.Config(page, log_level="error", access_log=False, timeout_graceful_shutdown=0)
    # uvicorn passes a signal on once it has stopped: as an exception it ends the boxes too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        Server(config).run(sockets=[listening])
