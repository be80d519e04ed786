"""Begin a new package: with the template, a small exercise that passes verification, or like another problem.

A package like another one keeps what lets it be judged: its manifest, code, cases and known submissions. Its author
changes them, and writes the texts, which are marked with TODO. Verification refuses them until then.
"""

from collections.abc import Mapping
from pathlib import Path

from app.catalog.folder import FILE_OF_KEY, MANIFEST_FILE, read_folder
from app.catalog.importing.package_writer import SUMMARY, Notes, write_manifest, write_statement
from app.catalog.yaml_document import read_document

TEMPLATE = Path(__file__).parent / "template"
TEXTS = ("statement", "editorial", "notes")
# Keys that are about the other problem, and not about how it is judged.
LEFT_OUT = (*TEXTS, "track", "position", "prerequisites", "exercise", "sources", "hints", "quiz")


def write_template(title: str, schema: str) -> dict[str, str]:
    """Return the files of the template. `schema`: the URL of the manifest's schema, for editors."""
    files = {path: content.decode() for path, content in read_folder(TEMPLATE).files.items()}
    _title, others = files[MANIFEST_FILE].split("\n", 1)
    return {**files, MANIFEST_FILE: f"{_schema_line(schema)}title: {title}\n{others}"}


def write_like(other: str, files: Mapping[str, str], title: str, schema: str) -> dict[str, str]:
    """Return the files of a package that is judged like the valid package `other` with these files."""
    notes = Notes()
    notes.todo.append("set summary, difficulty, estimated_minutes, tags and license")
    notes.todo.append(f"write your own parameters, cases, starter, reference and submissions: these solve {other}")
    statement = write_statement("", notes)
    content = read_document(MANIFEST_FILE, files[MANIFEST_FILE]).content or {}
    kept = {key: value for key, value in content.items() if key not in LEFT_OUT}
    kept |= {"title": title, "summary": SUMMARY}
    texts = [FILE_OF_KEY[key] for key in TEXTS]
    code = {path: text for path, text in files.items() if path.endswith(".py") and path not in texts}
    manifest = write_manifest(kept, f"Like {other}.", notes)[MANIFEST_FILE]
    return {MANIFEST_FILE: _schema_line(schema) + manifest, "statement.md": statement, **code}


def _schema_line(schema: str) -> str:
    return f"# yaml-language-server: $schema={schema}\n"
