"""What the preview shows: the package as it is on disk now, read again when a file has changed."""

import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

from app.catalog.fault import Fault, PackageInvalid
from app.catalog.package import Package
from app.catalog.revision import digest
from app.catalog.signature import described_signature
from app.catalog.view import ProblemDetail, SampleCase
from app.cli.problem.package_source import PackageSource
from app.cli.problem.sample_answers import Answers, SampleAnswers
from app.errors import AllcloseError
from app.settings import Settings
from app.web.preview import Shown

LOOK_SECONDS = 0.3
Signature = tuple[tuple[str, int, int], ...]


class Shelf:
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
