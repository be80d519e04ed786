"""The account of a submission's CPU time."""

import pytest

from app.queue.background_work import NICENESS
from app.settings import ROOT
from benchmarks.cost import Digests, Note, account
from benchmarks.lab import UNSEEN
from benchmarks.service import SLUGS

SPENT = {"boxes": 10.0, "worker": 2.0, "web process": 1.0, "database": 0.5}
DIGESTS = Digests(solution="solution", reference="reference")


def note(kind: str = "student", source: str = "solution", niceness: int = 0, **spent: float) -> Note:
    return Note(kind=kind, niceness=niceness, source=source, spent=spent, entered={"compile": 2, "find programs": 7})


def test_the_parts_add_up_to_what_the_processes_spent() -> None:
    notes = [note(spare=1.0, run=2.0), note(spare=1.0, run=0.5), note("inspector", "none", compile=0.25, run=0.5)]

    sample = account(0.9, SPENT, [*notes, note("worker", "", comparison=0.125)], DIGESTS)

    assert sum(sample.parts.values()) == pytest.approx(sum(SPENT.values()))
    assert (sample.parts["run"], sample.parts["second run"], sample.parts["spare"]) == (2.0, 0.5, 2.0)
    assert (sample.parts["compile for inspection"], sample.parts["inspection"]) == (0.25, 0.5)
    assert sample.parts["rest of the worker"] == 2.0 - 0.125
    assert (sample.programs, sample.compiled) == (7, 2)


@pytest.mark.parametrize(
    ("other", "part"),
    [
        (note(niceness=NICENESS, run=1.0), "learning"),
        (note(niceness=NICENESS, source="known", run=1.0), "other background work"),
        (note(source="reference", run=1.0), "reference's cost"),
        (note(source="known", run=1.0), "known mistakes"),
        (note("exporter", trace=1.0), "export"),
    ],
)
def test_a_process_counts_for_its_purpose(other: Note, part: str) -> None:
    sample = account(0.9, SPENT, [note(run=2.0), other], DIGESTS)

    assert sample.parts[part] == 1.0


def test_each_measured_problem_has_solutions_that_no_package_knows() -> None:
    known = {path.read_text() for path in (ROOT / "problems").rglob("*.py")}

    unseen = {slug: [path.read_text() for path in (UNSEEN / slug).glob("*.py")] for slug in SLUGS}

    assert {slug: len(texts) for slug, texts in unseen.items()} == dict.fromkeys(SLUGS, 6)
    assert not known & {text for texts in unseen.values() for text in texts}
