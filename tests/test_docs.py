"""Every file and link that the documentation names exists."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
WHOLE = ("app/", "sandbox/", "tests/")


def test_every_file_that_a_docstring_at_the_top_names_is_there() -> None:
    modules = [
        module for folder in ("app", "benchmarks", "migrations", "sandbox") for module in (ROOT / folder).rglob("*.py")
    ]
    modules += (ROOT / "tests").glob("*/__init__.py")

    docstrings = {module: ast.get_docstring(ast.parse(module.read_text())) or "" for module in modules}

    named = {path for text in docstrings.values() for path in re.findall(rf"`((?:{FOLDERS})/[\w./-]*)`", text)}
    assert len(named) > 40
    assert [path for path in named if not re.search("[A-Z]", path) and not (ROOT / path).exists()] == []


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


PAGES = ["README.md", "CONTRIBUTING.md", *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md"))]
FOLDERS = "app|benchmarks|deploy|docs|migrations|problems|sandbox|tests"
# `make bench` writes them.
WRITTEN_LATER = {"benchmarks/results.json", "docs/plots/"}


def anchors_of(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_every_path_and_link_of_a_page_exists(page: str) -> None:
    text = (ROOT / page).read_text()

    paths = set(re.findall(rf"`((?:{FOLDERS})/[\w./-]*)`", text)) - WRITTEN_LATER
    links = re.findall(
        r"\]\((?!http)([\w./-]*)(?:#([\w-]+))?\)", re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)
    )
    targets = [((ROOT / page).parent / link if link else ROOT / page, anchor) for link, anchor in links]

    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert [target for target, _ in targets if not target.exists()] == []
    assert [anchor for target, anchor in targets if anchor and anchor not in anchors_of(target)] == []
