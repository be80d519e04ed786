"""`allclose problem preview`: serve the problem's page from the files on disk, and reload it when they change.

One thread watches the files. Another runs the reference in a box to compute the samples' expected outputs.
"""

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
from app.catalog.package import Package
from app.cli.console import output
from app.cli.problem.package_source import NAMED, PackageSource, find_source
from app.errors import AllcloseError, JudgeFailed
from app.settings import Settings, read_settings
from sandbox.interface import Aborted, SandboxError

if TYPE_CHECKING:
    from fastapi import FastAPI

    from app.catalog.query import ProblemDetail
    from app.web.preview import PreviewContent
    from sandbox.pool import Pool


# The sample cases do not depend on the secret or the variant.
NO_SECRET = b"preview"
POLL_SECONDS = 0.3
PORT = 8001


@dataclass(frozen=True, slots=True)
class Answers:
    """The samples' previews, or why there are none.

    `previews`: the inputs and expected output by sample. `failure`: the reference's error. `notice`: another reason.
    """

    previews: Mapping[str, tuple[Any, Any]]
    notice: str
    failure: str = ""


class SampleAnswers:
    """Computes the samples' expected outputs in one thread with one pool of boxes.

    A new request aborts the last one. `take` receives the answers.
    """

    def __init__(self, settings: Settings, take: Callable[[Package, Answers], None]) -> None:
        self._settings = settings
        self._take = take
        self._changed = Condition()
        self._requested: Package | None = None
        self._is_closed = False
        self._abort = Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def request(self, package: Package) -> None:
        self._set(package)

    def cancel(self) -> None:
        self._set(None)

    def close(self) -> None:
        with self._changed:
            self._is_closed = True
        self._set(None)
        self._thread.join()

    def _set(self, package: Package | None) -> None:
        with self._changed:
            self._requested = package
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
                    # In a box every source is called solution.py.
                    failure = str(failed).replace('File "solution.py"', 'File "reference.py"')
                    self._take(package, Answers({}, "", failure))
                except (AllcloseError, SandboxError) as error:
                    self._take(package, Answers({}, f"the samples have no outputs yet: {error}"))

    def _next(self) -> Package | None:
        with self._changed:
            self._changed.wait_for(lambda: self._requested is not None or self._is_closed)
            package, self._requested = self._requested, None
            self._abort.clear()
            return None if self._is_closed else package

    def _open_pool(self) -> AbstractContextManager["Pool"]:
        """Raises SandboxUnavailable."""
        from app.engine.boxes import find_cache, open_launcher, open_reference_pool

        launcher = open_launcher(self._settings, cache=find_cache(self._settings))
        return open_reference_pool(self._settings, launcher)


def _answer(package: Package, pool: "Pool", abort: Event) -> Answers:
    """Raises ReferenceFailed, BoxLost, Aborted."""
    from app.engine.prepare import Draw, prepare

    manifest = package.interpreted.manifest
    if manifest.limits.gpu:
        return Answers({}, "the preview does not compute the outputs of a problem for GPUs; a server does")
    samples = tuple(case for case in manifest.cases if case.visibility == "sample")
    only_samples = replace(package, manifest=manifest.model_copy(update={"cases": samples}))
    prepared = prepare(only_samples, Draw(NO_SECRET, 0), pool, abort)
    return Answers({case.name: (case.inputs_preview, case.expected_preview) for case in prepared.cases}, "")


Signature = tuple[tuple[str, int, int], ...]


class PreviewedPackage:
    """The content of the page, kept up to date by two threads. `read` never waits."""

    def __init__(self, source: PackageSource, settings: Settings) -> None:
        self._source = source
        self._lock = Lock()
        # A random prefix, so that a page left open by an earlier preview reloads.
        self._prefix, self._number = secrets.token_hex(4), 0
        self._package: Package | None = None
        self._shown: PreviewContent
        self._signature: Signature | None = None
        self._ended = Event()
        self._answers = SampleAnswers(settings, self._take_answers)
        self._load()
        self._watcher = Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def read(self) -> "PreviewContent":
        with self._lock:
            return self._shown

    def close(self) -> None:
        self._ended.set()
        self._watcher.join()
        self._answers.close()

    def _watch(self) -> None:
        while not self._ended.wait(POLL_SECONDS):
            if self._sign() != self._signature:
                self._load()

    def _load(self) -> None:
        from app.catalog.query import preview_problem

        # Before reading the files, so that a change during the reading is noticed.
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
                self._show(preview_problem(package, {}), (), "Running the reference on the samples …")
            self._answers.request(package)

    def _show_unread(self, faults: tuple[Fault, ...], notice: str) -> None:
        with self._lock:
            self._package = None
            self._show(None, faults, notice)
        self._answers.cancel()

    def _take_answers(self, package: Package, answers: Answers) -> None:
        """Show the answers, unless the package has changed since they were requested."""
        from app.catalog.query import preview_problem

        with self._lock:
            if package is self._package:
                self._show(preview_problem(package, answers.previews), (), answers.notice, answers.failure)

    def _show(self, problem: "ProblemDetail | None", faults: tuple[Fault, ...], notice: str, failure: str = "") -> None:
        from app.web.preview import PreviewContent

        self._number += 1
        package = self._package
        self._shown = PreviewContent(
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
        """Return the names, times and sizes of the files."""
        paths = [self._source.path] if self._source.is_single else sorted(self._source.path.rglob("*"))
        return tuple(filter(None, map(_sign, paths)))


def _sign(path: Path) -> tuple[str, int, int] | None:
    try:
        status = path.lstat()
    except OSError:
        return None  # deleted meanwhile
    return str(path), status.st_mtime_ns, status.st_size


class PortInUse(AllcloseError):
    """Another program listens on the port of the preview."""


def preview(
    problem: Annotated[str, typer.Argument(help=NAMED)],
    port: Annotated[int, typer.Option(help="The port to listen on; 0 for any free one.")] = PORT,
) -> None:
    """Show a package's page as students will see it, and reload it when a file changes.

    The page lists the package's faults with file, line and remedy. The command needs no server and no database. If
    this machine can open a box, the page also shows the samples' expected outputs.
    """
    from app.api.response_headers import ResponseHeaders
    from app.web.preview import create_preview

    source, settings = find_source(problem), read_settings()
    with _listen(port) as listening, closing(PreviewedPackage(source, settings)) as package:
        page = create_preview(source.slug, package.read)
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
    """Serve the page until Ctrl-C."""
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            output.print(greeting, soft_wrap=True)
            output.print("It reloads when a file changes. Ctrl-C stops it.")

    # At the end uvicorn cuts off the event streams of open pages. That needs no log line.
    logging.getLogger("uvicorn.error").addFilter(lambda record: not record.getMessage().startswith("Cancel "))
    config = uvicorn.Config(page, log_level="error", access_log=False, timeout_graceful_shutdown=0)
    # uvicorn raises the signal again once it has stopped. As an exception it also closes the boxes.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        Server(config).run(sockets=[listening])
