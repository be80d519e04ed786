import re

from app.settings import ROOT
from benchmarks.screenshots import DOCS, FOR_ADMINS, FOR_STUDENTS, LOOKS, SHOWN


def test_the_docs_show_only_pictures_that_are_taken_and_none_is_left_over() -> None:
    taken = {f"{shot}-{look.name}.webp" for shot in (*FOR_STUDENTS, *FOR_ADMINS) for look in LOOKS}
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]

    shown = {name for page in pages for name in re.findall(r"screenshots/([\w-]+\.webp)", page.read_text())}

    assert shown == set(SHOWN)
    assert shown <= taken
    assert {each.name for each in DOCS.iterdir()} == shown
