"""What the pages name is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
WHOLE = ("app/", "sandbox/", "tests/")


def paths_in(cell: str) -> list[Path]:
    """`app/a.py`, `b.py` names two files of one folder, as the tables of the docs write it."""
    found: list[Path] = []
    for text in re.findall(r"`([\w./]+(?:\.py|/))`", cell):
        if text.startswith(WHOLE):
            found.append(ROOT / text)
        elif found:
            found.append(found[-1].parent / text)
    return found


def test_every_file_that_the_page_on_security_names_is_there() -> None:
    rows = (ROOT / "docs" / "security.md").read_text().splitlines()

    named = [path for row in rows for cell in row.split(" | ") for path in paths_in(cell)]

    assert len(named) > 60
    assert [str(path.relative_to(ROOT)) for path in named if not path.exists()] == []
