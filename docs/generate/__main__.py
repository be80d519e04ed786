"""Writes the generated files, or with `--check` compares them: `make api`, `make catalogue` and `make check-api`."""

import sys
from pathlib import Path

from docs.generate.api_pages import write_api, write_rights
from docs.generate.catalogue import write_catalogue
from docs.generate.document import read_document

ROOT = Path(__file__).parents[2]


def main() -> None:
    document = read_document()
    generated = {
        "docs/api.md": write_api(document),
        "docs/rights.md": write_rights(document),
        "docs/catalogue.md": write_catalogue(ROOT / "problems"),
    }
    if "--check" not in sys.argv[1:]:
        for name, text in generated.items():
            (ROOT / name).write_text(text)
        return
    outdated = [name for name, text in generated.items() if not _is_current(ROOT / name, text)]
    if outdated:
        sys.exit(f"Out of date: {', '.join(outdated)}. Run `make api` and commit the result.")


def _is_current(file: Path, text: str) -> bool:
    return file.is_file() and file.read_text() == text


main()
