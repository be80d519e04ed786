"""The texts and code of a package, from files of their own or from `problem.yaml`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from app.catalog.fault import Fault
from app.catalog.folder import FILE_OF_KEY, verdict_fault
from app.catalog.source import Source
from app.catalog.yaml_document import Document

REQUIRED = ("statement", "starter", "reference")
NEEDED_FOLDERS = ("accepted", "wrong_answer")


@dataclass(frozen=True, slots=True)
class Known:
    """A known submission, which must get `verdict`."""

    verdict: str
    name: str
    source: Source


@dataclass(frozen=True, slots=True)
class Parts:
    sources: Mapping[str, Source]
    submissions: tuple[Known, ...]
    faults: tuple[Fault, ...]

    def text(self, key: str) -> str | None:
        source = self.sources.get(key)
        return source.text if source else None


def gather(texts: Mapping[str, str], document: Document, unread: frozenset[str]) -> Parts:
    """Collect the parts of a package and their faults. `unread` are files that exist but could not be read."""
    inline = _inline_sources(document)
    filed = {key: Source(texts[file], file) for key, file in FILE_OF_KEY.items() if file in texts}
    submissions = (*_filed_submissions(texts), *_inline_submissions(document))
    # If problem.yaml can't be read, parts inside it are not missing.
    is_known = document.content is not None or document.file not in {*texts, *unread}
    faults = (
        *_doubled(document, inline, filed),
        *(_missing(document, {*inline, *filed}, unread) if is_known else ()),
        *_blank({**inline, **filed}),
        *(_unsolved(submissions) if is_known else ()),
        *_submission_faults(document, submissions),
    )
    return Parts({**inline, **filed}, submissions, faults)


def _inline_sources(document: Document) -> dict[str, Source]:
    content = document.content or {}
    found = {key: content[key] for key in FILE_OF_KEY if isinstance(content.get(key), str)}
    return {key: _inline(document, (key,), text) for key, text in found.items()}


def _inline(document: Document, where: tuple[str, ...], text: str) -> Source:
    # A text of several lines is a block, which begins on the line after its key.
    line = document.line_of(where)
    return Source(text, document.file, line if "\n" in text else line - 1, ".".join(where))


def _filed_submissions(texts: Mapping[str, str]) -> Iterator[Known]:
    for path, text in sorted(texts.items()):
        if path.startswith("submissions/"):
            _, verdict, name = path.split("/")
            yield Known(verdict, name.removesuffix(".py"), Source(text, path))


def _inline_submissions(document: Document) -> Iterator[Known]:
    for verdict, known in _mapping((document.content or {}).get("submissions")).items():
        for name, text in _mapping(known).items():
            if isinstance(text, str):
                where = ("submissions", verdict, name)
                yield Known(verdict, name.removesuffix(".py"), _inline(document, where, text))


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _doubled(document: Document, inline: Mapping[str, Source], filed: Mapping[str, Source]) -> Iterator[Fault]:
    for key in inline.keys() & filed.keys():
        yield document.fault((key,), f"is given here and as the file {FILE_OF_KEY[key]}", "remove one of the two")


def _missing(document: Document, given: set[str], unread: frozenset[str]) -> Iterator[Fault]:
    for key in REQUIRED:
        if key not in given and key not in (document.content or {}) and FILE_OF_KEY[key] not in unread:
            remedy = f"write it, or put its text under the key `{key}:` of {document.file}"
            yield Fault(FILE_OF_KEY[key], 0, "", "is missing", remedy)


def _blank(sources: Mapping[str, Source]) -> Iterator[Fault]:
    for source in sources.values():
        if not source.text.strip():
            yield source.fault(1, "is empty", "write it or remove it")


def _unsolved(submissions: tuple[Known, ...]) -> Iterator[Fault]:
    for needed in NEEDED_FOLDERS:
        if not any(known.verdict == needed for known in submissions):
            remedy = f"add a solution that must get this verdict, or the key `submissions: {{{needed}: …}}`"
            yield Fault(f"submissions/{needed}/", 0, "", "has no solution", remedy)


def _submission_faults(document: Document, submissions: tuple[Known, ...]) -> Iterator[Fault]:
    for verdict in _mapping((document.content or {}).get("submissions")):
        where = ("submissions", verdict)
        if fault := verdict_fault(document.file, document.line_of(where), ".".join(where), verdict):
            yield fault
    seen: set[tuple[str, str]] = set()
    for known in submissions:
        if (known.verdict, known.name) in seen:
            yield known.source.fault(1, f"is a second {known.verdict}/{known.name}.py", "rename or remove one")
        seen.add((known.verdict, known.name))
