"""Write the package that an importer makes of a source, with what its author must add marked as TODO."""

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from app.catalog.folder import MANIFEST_FILE
from app.catalog.importing.program import ImportRefused, strangers_of

SECTIONS = ("Why this matters", "Worked example", "Common pitfalls", "Problem", "Inputs", "Output")
SUMMARY = "TODO: describe the problem in one line."
ACCEPTED, WRONG = "submissions/accepted/", "submissions/wrong_answer/"
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_ .()'+/-]*[A-Za-z0-9_.)]|[A-Za-z]")
_WORDS_OF_YAML = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


@dataclass(slots=True)
class Notes:
    """Notes for the author, collected while reading a source. `left_out`: the parts that do not map."""

    left_out: list[str] = field(default_factory=list)
    todo: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedPackage:
    """A package made of a source. `answers`: the source's own, by case."""

    slug: str
    files: Mapping[str, str]
    left_out: tuple[str, ...]
    todo: tuple[str, ...]
    answers: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What an importer read. `name`: the source's. `origin`: its format, such as `a notebook`.

    `manifest`: the known keys. `sections`: those of the statement. `files`: the code, at least starter and reference.
    """

    name: str
    origin: str
    manifest: Mapping[str, Any]
    sections: Mapping[str, str]
    files: Mapping[str, str]
    answers: Mapping[str, Any] = field(default_factory=dict)


def write_package(source: Source, notes: Notes) -> ImportedPackage:
    """Add what every package needs and the source lacks, each with a TODO."""
    if strangers := strangers_of(ast.parse(source.files["reference.py"])):
        notes.left_out.append(f"imports that sandboxes do not have: {', '.join(strangers)}")
    files = {"statement.md": write_statement(source.sections, notes), **_add_submissions(source, notes)}
    lacking = [key for key in ("summary", "difficulty", "estimated_minutes", "license") if key not in source.manifest]
    notes.todo.append(f"set {', '.join(lacking)}: the source does not have them")
    content: dict[str, Any] = {
        "title": title_of(source.name),
        "summary": SUMMARY,
        "difficulty": "intermediate",
        "estimated_minutes": 20,
        **source.manifest,
    }
    content["title"] = content["title"][:120]
    return ImportedPackage(
        slug=_slug_of(source.name),
        files={**write_manifest(content, f"Imported from {source.origin}.", notes), **files},
        left_out=tuple(notes.left_out),
        todo=tuple(notes.todo),
        answers=source.answers,
    )


def _add_submissions(source: Source, notes: Notes) -> dict[str, str]:
    """Let the reference be accepted, and a stand-in be wrong, if the source has no such solutions."""
    files = dict(source.files)
    if not any(path.startswith(ACCEPTED) for path in files):
        files[f"{ACCEPTED}original.py"] = files["reference.py"]
    if sum(path.startswith(ACCEPTED) for path in files) == 1:
        notes.todo.append("add a second accepted solution, written in another way")
    if not any(path.startswith(WRONG) for path in files):
        stand_in = f"{WRONG}stand_in.py"
        sentence = '"""Mistake: returns nothing. TODO: replace this by a likely mistake."""'
        files[stand_in] = f"{sentence}\n\n\ndef {source.manifest['entry_point']}(*arguments):\n    return None\n"
        notes.todo.append(f"replace {stand_in} by likely mistakes, each with its sentence")
    return files


def title_of(name: str) -> str:
    return " ".join(re.split(r"[\s_-]+", name)).strip().capitalize()


def _slug_of(name: str) -> str:
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
