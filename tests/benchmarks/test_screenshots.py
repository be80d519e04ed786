import re
from pathlib import Path

import pytest

from app.settings import ROOT
from benchmarks.screenshots import DOCS, FOR_ADMINS, FOR_STUDENTS, LOOKS, SHOWN, replacing


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With one picture of before."""
    folder = tmp_path / "screenshots"
    folder.mkdir()
    (folder / "old.webp").write_bytes(b"old")
    return folder


def test_new_screenshots_replace_all_old_ones(folder: Path) -> None:
    with replacing(folder) as new:
        (new / "front.webp").write_bytes(b"new")

    assert [each.name for each in folder.iterdir()] == ["front.webp"]
    assert list(folder.parent.iterdir()) == [folder]


def test_a_failure_keeps_the_old_screenshots(folder: Path) -> None:
    with pytest.raises(ZeroDivisionError), replacing(folder) as new:
        (new / "front.webp").write_bytes(bytes(1 // 0))

    assert [each.name for each in folder.iterdir()] == ["old.webp"]
    assert list(folder.parent.iterdir()) == [folder]


def test_the_first_screenshots_need_no_old_ones(tmp_path: Path) -> None:
    with replacing(tmp_path / "screenshots") as new:
        (new / "front.webp").write_bytes(b"new")

    assert (tmp_path / "screenshots" / "front.webp").exists()


def test_the_docs_show_only_pictures_that_are_taken_and_none_is_left_over() -> None:
    taken = {f"{shot}-{look.name}.webp" for shot in (*FOR_STUDENTS, *FOR_ADMINS) for look in LOOKS}
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]

    shown = {name for page in pages for name in re.findall(r"screenshots/([\w-]+\.webp)", page.read_text())}

    assert shown == set(SHOWN)
    assert shown <= taken
    assert {each.name for each in DOCS.iterdir()} == shown
