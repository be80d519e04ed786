"""Every file under `problems/*/submissions/` gets its folder's verdict: through REST, queue, worker, and either box."""

import pytest

from app.catalog.package import KnownSubmission, load_packages
from app.judging.verdicts import PENDING, Verdict
from app.settings import ROOT
from tests.serving import Served, Student

KNOWN = [(package.slug, known) for package in load_packages(ROOT / "problems") for known in package.submissions]
ALL = [pair for pair in KNOWN if pair[1].verdict not in PENDING]
# What a box does with a problem's frameworks shows in one submission for each verdict.
FIRST = {(slug, known.verdict): (slug, known) for slug, known in reversed(ALL)}
JUDGED = {"bubblewrap": ALL, "docker": list(FIRST.values())}
EACH = [(sandbox, slug, known) for sandbox, judged in JUDGED.items() for slug, known in judged]


@pytest.fixture(scope="module")
def student(served_with: Served) -> Student:
    return served_with.sign_up()


@pytest.fixture(scope="module")
def sent(sandbox: str, student: Student) -> dict[tuple[str, str], str]:
    """All of them at once, so that every slot of the worker has something to do."""
    return {(slug, known.name): student.send(slug, known.source) for slug, known in JUDGED[sandbox]}


@pytest.mark.parametrize(
    ("sandbox", "slug", "known"),
    EACH,
    indirect=["sandbox"],
    ids=[f"{sandbox}-{slug}/{known.verdict}/{known.name}" for sandbox, slug, known in EACH],
)
@pytest.mark.timeout(900)
def test_a_known_submission_gets_the_verdict_of_its_folder(
    student: Student, sent: dict[tuple[str, str], str], slug: str, known: KnownSubmission
) -> None:
    judged = student.result(sent[slug, known.name])

    assert judged["verdict"] == known.verdict, [(case["name"], case["verdict"]) for case in judged["cases"]]
    if known.verdict == "wrong_answer":
        wrong = [case["name"] for case in judged["cases"] if case["verdict"] == "wrong_answer"]
        assert len(wrong) >= 2, "one case is luck: a mistake shows in at least two"


def test_every_problem_has_two_accepted_and_a_wrong_submission() -> None:
    for package in load_packages(ROOT / "problems"):
        verdicts = [known.verdict for known in package.submissions]

        assert verdicts.count(Verdict.ACCEPTED) >= 2, package.slug
        assert Verdict.WRONG_ANSWER in verdicts, package.slug
