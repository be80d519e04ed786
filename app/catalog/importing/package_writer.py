"""Write the package that a notebook becomes, with what its author must add marked as TODO."""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from app.catalog.folder import MANIFEST_FILE
from app.catalog.importing.program import ImportRefused, strangers_of

SECTIONS = ("Why this matters", "Worked example", "Common pitfalls", "Problem", "Output")
SUMMARY = "TODO: describe the problem in one line."
STAND_IN = "submissions/wrong_answer/stand_in.py"
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_ .()'+/-]*[A-Za-z0-9_.)]|[A-Za-z]")
_WORDS_OF_YAML = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


@dataclass(slots=True)
class Notes:
    """Notes for the author, collected while reading a notebook. `left_out`: the parts that do not map."""

    left_out: list[str] = field(default_factory=list)
    todo: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedPackage:
    """A package made of a notebook. `answers`: the notebook's own, by case."""

    slug: str
    files: Mapping[str, str]
    left_out: tuple[str, ...]
    todo: tuple[str, ...]
    answers: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What was read of a notebook. `problem`: a section of the statement. `files`: at least starter and reference.

    `manifest`: the known keys. `answers`: the notebook's own, by case.
    """

    name: str
    problem: str
    files: Mapping[str, str]
    manifest: Mapping[str, Any] = field(default_factory=dict)
    answers: Mapping[str, Any] = field(default_factory=dict)


def write_package(source: Source, notes: Notes) -> ImportedPackage:
    """Add what every package needs and a notebook lacks, each with a TODO."""
    if strangers := strangers_of(ast.parse(source.files["reference.py"])):
        notes.left_out.append(f"imports that sandboxes do not have: {', '.join(strangers)}")
    files = {"statement.md": write_statement(source.problem, notes), **_add_submissions(source, notes)}
    notes.todo.append("set summary, difficulty, estimated_minutes, license: the notebook does not have them")
    content: dict[str, Any] = {
        "title": title_of(source.name)[:120],
        "summary": SUMMARY,
        "difficulty": "intermediate",
        "estimated_minutes": 20,
        **source.manifest,
    }
    return ImportedPackage(
        slug=_slug_of(source.name),
        files={**write_manifest(content, "Imported from a notebook.", notes), **files},
        left_out=tuple(notes.left_out),
        todo=tuple(notes.todo),
        answers=source.answers,
    )


def _add_submissions(source: Source, notes: Notes) -> dict[str, str]:
    """Let the reference be accepted, and a stand-in be wrong."""
    notes.todo.append("add a second accepted solution, written in another way")
    notes.todo.append(f"replace {STAND_IN} by likely mistakes, each with its sentence")
    sentence = '"""Mistake: returns nothing. TODO: replace this by a likely mistake."""'
    wrong = f"{sentence}\n\n\ndef {source.manifest['entry_point']}(*arguments):\n    return None\n"
    return {**source.files, "submissions/accepted/original.py": source.files["reference.py"], STAND_IN: wrong}


def title_of(name: str) -> str:
    return " ".join(re.split(r"[\s_-]+", name)).strip().capitalize()


def _slug_of(name: str) -> str:
    slug = re.sub(r"[^a-z0-9_-]+", "_", name.lower()).strip("_-")[:64]
    if not slug:
        raise ImportRefused(f"{name!r} has no letter or digit for a slug: rename the notebook")
    return slug


def write_manifest(content: Mapping[str, Any], heading: str, notes: Notes) -> dict[str, str]:
    """Return `problem.yaml`, with a list of TODOs at its head."""
    todo = [f"# TODO: {each}" for each in notes.todo]
    body = yaml.dump(dict(content), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
    return {MANIFEST_FILE: "\n".join([f"# {heading}", *todo, "", body])}


def write_statement(problem: str, notes: Notes) -> str:
    """Return a statement with all sections. Those that the source lacks have a TODO."""
    known = {"Problem": problem.strip()}
    missing = [name for name in SECTIONS if not known.get(name)]
    notes.todo.append(f"write in statement.md: {', '.join(missing)}")
    return "\n".join(f"## {name}\n\n{known.get(name) or 'TODO: write this section.'}\n" for name in SECTIONS)


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
