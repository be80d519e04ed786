"""`make api` and the check of it."""

import sys
from pathlib import Path

from reference.client import write_calls, write_models
from reference.document import read_document
from reference.page import write_api, write_rights

ROOT = Path(__file__).parent.parent


def main() -> None:
    document = read_document()
    made = {
        "docs/api.md": write_api(document),
        "docs/rights.md": write_rights(document),
        "app/client/model.py": write_models(document),
        **write_calls(document),
    }
    if "--check" not in sys.argv[1:]:
        for name, text in made.items():
            (ROOT / name).write_text(text)
        return
    old = [name for name, text in made.items() if not _is(ROOT / name, text)]
    if old:
        sys.exit(f"{', '.join(old)}: not what the API is now; run make api, and commit the result")


def _is(file: Path, text: str) -> bool:
    return file.is_file() and file.read_text() == text


main()
