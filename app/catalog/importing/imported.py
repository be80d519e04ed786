"""The result of an importer: the files of a package, and what its author must add.

Importers never run a source. They read programs as syntax trees.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from app.catalog.folder import MANIFEST_FILE
from app.errors import AllcloseError

SECTIONS = ("Why this matters", "Worked example", "Common pitfalls", "Problem", "Inputs", "Output")
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_ .()'+/-]*[A-Za-z0-9_.)]|[A-Za-z]")
_WORDS_OF_YAML = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


class ImportRefused(AllcloseError):
    """The source can't become a package. The text says why, and what to change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A package made of a source.

    `left_out`: the parts that do not map. `answers`: the source's own, by case. `failure`: why the solution did not
    run, or an empty text.
    """

    slug: str
    files: Mapping[str, str]
    left_out: tuple[str, ...]
    todo: tuple[str, ...]
    answers: Mapping[str, Any]
    failure: str = ""


@dataclass(slots=True)
class Notes:
    """Notes for the author, collected while reading a source."""

    left_out: list[str] = field(default_factory=list)
    todo: list[str] = field(default_factory=list)


def slug_of(name: str) -> str:
    slug = re.sub(r"[^a-z0-9_-]+", "_", name.lower()).strip("_-")[:64]
    if not slug:
        raise ImportRefused(f"{name!r} has no letter or digit for a slug: rename the source")
    return slug


def name_of(text: str) -> str:
    """Return a name for a case or submission, of the characters `a-z0-9_`."""
    return re.sub(r"[^a-z0-9_]+", "_", text.lower()).strip("_")[:64] or "unnamed"


def write_manifest(content: Mapping[str, Any], heading: str, notes: Notes) -> dict[str, str]:
    """Return `problem.yaml`, with a list of TODOs at its head."""
    todo = [f"# TODO: {each}" for each in notes.todo]
    body = yaml.dump(dict(content), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
    return {MANIFEST_FILE: "\n".join([f"# {heading}", *todo, "", body])}


def write_statement(sections: Mapping[str, str], notes: Notes) -> str:
    """Return a statement with all sections, and a TODO for each needed one that the source lacks."""
    shown = [name for name in SECTIONS if name != "Inputs" or sections.get(name, "").strip()]
    missing = [name for name in shown if not sections.get(name, "").strip()]
    if missing:
        notes.todo.append(f"write in statement.md: {', '.join(missing)}")
    parts = [f"## {name}\n\n{sections.get(name, '').strip() or 'TODO: write this section.'}\n" for name in shown]
    return "\n".join(parts)


def explained(source: str, sentence: str, notes: Notes, path: str) -> str:
    """Put the sentence about its mistake before a wrong submission, or a TODO if it is empty."""
    if not sentence:
        notes.todo.append(f"describe the mistake in the first line of {path}: it is the hint for students who make it")
    words = sentence or "TODO: describe the mistake in a sentence."
    return f"# Mistake: {words}\n\n{source}"


def distinct(names: Iterable[str]) -> list[str]:
    """Return the names in order, and add a number to repeated ones."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name[:60]}_{seen[name]}")
    return found


class _Dumper(yaml.SafeDumper):
    """Quotes texts that YAML 1.2 could misread, writes lists of numbers in one line, and uses no aliases."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        return super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def _represent_text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    is_plain = _PLAIN.fullmatch(text) and text.lower() not in _WORDS_OF_YAML
    style = "|" if "\n" in text else None if is_plain else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _represent_list(dumper: _Dumper, items: list[Any]) -> yaml.SequenceNode:
    is_flat = not any(isinstance(item, dict) for item in items)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=is_flat)


_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(list, _represent_list)
