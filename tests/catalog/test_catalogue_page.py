"""The page docs/catalogue.md, from packages and their records. `make check` compares the committed page."""

import json
from datetime import date
from pathlib import Path

from app.catalog.verification_report import VERIFICATION_VERSION
from app.catalog.verified import FILE, VerifiedPackage
from docs.generate.catalogue import write_catalogue
from tests.catalog.packages import FILES

RECORD = VerifiedPackage(
    digest="0" * 64,
    verification_version=VERIFICATION_VERSION,
    date=date(2026, 1, 1),
    seconds=12.3,
    findings={"error": 0, "warning": 0, "note": 1},
    strength=0.956,
    cases=3,
    shapes=2,
)


def make(folder: Path, slug: str, *changes: tuple[str, str]) -> None:
    problem = FILES["problem.yaml"]
    for old, new in changes:
        problem = problem.replace(old, new)
    for path, text in {**FILES, "problem.yaml": problem}.items():
        (folder / slug / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / slug / path).write_text(text)


def test_the_page_has_a_table_for_each_track_and_the_figures_of_the_records(tmp_path: Path) -> None:
    make(tmp_path, "first")
    make(tmp_path, "second", ("position: 1", "position: 2"), ("Scaled sum", "Sum | again"))
    make(tmp_path, "alone", ("track: basics\nposition: 1\n", ""))
    (tmp_path / "tracks.yaml").write_text("tracks:\n  basics: {title: The basics}\n")
    (tmp_path / FILE).write_text(json.dumps({"first": json.loads(RECORD.model_dump_json())}))

    page = write_catalogue(tmp_path)

    rows = [line for line in page.splitlines() if line.startswith(("## ", "| ["))]
    assert rows == [
        "## The basics",
        "| [Scaled sum](../problems/first/statement.md) | numpy | beginner | 95 % | 3 | 2 | 12 |",
        "| [Sum \\| again](../problems/second/statement.md) | numpy | beginner | – | 3 | – | – |",
        "## Other problems",
        "| [Scaled sum](../problems/alone/statement.md) | numpy | beginner | – | 3 | – | – |",
    ]
    assert "3 problems, 1 of them with a recorded verification." in page
