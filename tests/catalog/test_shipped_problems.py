"""What every shipped problem offers its students: hints, quiz, editorial, known mistakes, and a place in a track."""

import re
from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise

import pytest

from app.catalog.package import Package, load_packages
from app.settings import ROOT

SLUGS = sorted(path.parent.name for path in (ROOT / "problems").glob("*/problem.yaml"))
LEVELS = ("beginner", "intermediate", "advanced")

Packages = Mapping[str, Package]


@pytest.fixture(scope="module")
def packages() -> Packages:
    return {package.slug: package for package in load_packages(ROOT / "problems")}


def level(package: Package) -> int:
    return LEVELS.index(package.manifest.difficulty)


def headings(text: str) -> str:
    return "\n".join(re.findall(r"^## (.*)$", text, re.MULTILINE)).lower()


def names_in(package: Package, folder: str) -> list[str]:
    return [path for path in package.files if path.startswith(f"submissions/{folder}")]


@pytest.mark.parametrize("slug", SLUGS)
def test_a_problem_has_all_that_a_student_expects(packages: Packages, slug: str) -> None:
    package = packages[slug]
    statement, editorial = (headings(package.files[f"{name}.md"].decode()) for name in ("statement", "editorial"))
    accepted, known = names_in(package, "accepted/"), names_in(package, "")

    for section in ("why this matters", "worked example", "common pitfalls", "problem"):
        assert section in statement
    assert "complexity" in editorial
    assert "alternative" in editorial
    assert len(package.manifest.hints) == 3
    assert 3 <= len(package.manifest.quiz) <= 5
    assert len(accepted) >= 2
    assert len(known) - len(accepted) >= 4
    assert package.manifest.sources
    assert "notes.md" in package.files


@pytest.mark.parametrize("slug", SLUGS)
def test_no_choice_of_a_quiz_is_cut_at_the_comma_of_a_number(packages: Packages, slug: str) -> None:
    for question in packages[slug].manifest.quiz:
        cut = [pair for pair in pairwise(question.choices) if pair[0][-1:].isdigit() and re.match(r"000\b", pair[1])]
        assert cut == [], "quote the choice"


def test_a_track_goes_from_beginner_to_advanced_and_prerequisites_come_first(packages: Packages) -> None:
    tracks: dict[str | None, list[Package]] = defaultdict(list)
    for package in packages.values():
        tracks[package.manifest.track].append(package)

    for members in tracks.values():
        members.sort(key=lambda package: package.manifest.position or 0)
        assert [level(package) for package in members] == sorted(level(package) for package in members)
        assert len({package.manifest.position for package in members}) == len(members)

    for package in packages.values():
        for before in (packages[slug] for slug in package.manifest.prerequisites):
            assert level(before) <= level(package)
            if before.manifest.track == package.manifest.track:
                assert (before.manifest.position or 0) < (package.manifest.position or 0)
