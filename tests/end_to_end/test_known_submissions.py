"""Every file under `problems/*/submissions/` gets its folder's verdict: through REST, queue, worker, and either box."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest
from _pytest.mark import ParameterSet

from app.catalog.package import KnownSubmission, load_packages
from app.judging.verdicts import Verdict
from app.settings import ROOT
from tests.end_to_end.conftest import LIMITS
from tests.sandbox.conftest import docker_launcher
from tests.serving import Student, serve

Known: TypeAlias = tuple[str, KnownSubmission]

PACKAGES = load_packages(ROOT / "problems")
ALL = [(package.slug, known) for package in PACKAGES for known in package.submissions]
# What a box does with a problem's frameworks shows in one submission for each verdict.
SOME = list({(slug, known.verdict): (slug, known) for slug, known in reversed(ALL)}.values())
# Of a problem of JAX, for the quick run.
QUICK_VERDICTS = ("accepted", "wrong_answer", "requirement_not_met")
QUICK = [(slug, known) for slug, known in SOME if slug == "microbatched_grads" and known.verdict in QUICK_VERDICTS]


@dataclass(frozen=True)
class Sent:
    """All of them at once, so that every slot of the worker has something to do."""

    student: Student
    ids: dict[tuple[str, str], str]

    def check(self, slug: str, known: KnownSubmission) -> None:
        judged = self.student.result(self.ids[slug, known.name])

        assert judged["verdict"] == known.verdict, [(case["name"], case["verdict"]) for case in judged["cases"]]
        if known.verdict == "wrong_answer":
            wrong = [case["name"] for case in judged["cases"] if case["verdict"] == "wrong_answer"]
            assert len(wrong) >= 2, "one case is luck: a mistake shows in at least two"


@contextmanager
def send(pairs: Sequence[Known], sandbox: str, folder: Path) -> Iterator[Sent]:
    """Publishes the problems of `pairs` and no other, since a worker prepares all that are published."""
    problems = folder / "problems"
    problems.mkdir()
    for slug in {slug for slug, _ in pairs}:
        (problems / slug).symlink_to(ROOT / "problems" / slug)
    settings = {"ALLCLOSE_SANDBOX": sandbox, "ALLCLOSE_PROBLEMS": str(problems)}
    with serve(folder / "data", settings, policy=LIMITS) as served:
        student = served.sign_up()
        yield Sent(student, {(slug, known.name): student.send(slug, known.source) for slug, known in pairs})


def parameters(pairs: Sequence[Known]) -> list[ParameterSet]:
    return [pytest.param(slug, known, id=f"{slug}/{known.verdict}/{known.name}") for slug, known in pairs]


@pytest.fixture(scope="module")
def quickly(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sent]:
    with send(QUICK, "auto", tmp_path_factory.mktemp("served")) as sent:
        yield sent


@pytest.fixture(scope="module")
def in_bubblewrap(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sent]:
    with send(ALL, "bubblewrap", tmp_path_factory.mktemp("served")) as sent:
        yield sent


@pytest.fixture(scope="module")
def in_docker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sent]:
    docker_launcher("namespaces")  # skips where there is none
    with send(SOME, "docker", tmp_path_factory.mktemp("served")) as sent:
        yield sent


@pytest.mark.parametrize(("slug", "known"), parameters(QUICK))
def test_a_submission_for_each_verdict_gets_it(quickly: Sent, slug: str, known: KnownSubmission) -> None:
    quickly.check(slug, known)


@pytest.mark.whole
@pytest.mark.parametrize(("slug", "known"), parameters(ALL))
@pytest.mark.timeout(900)
def test_a_known_submission_gets_the_verdict_of_its_folder(
    in_bubblewrap: Sent, slug: str, known: KnownSubmission
) -> None:
    in_bubblewrap.check(slug, known)


@pytest.mark.whole
@pytest.mark.parametrize(("slug", "known"), parameters(SOME))
@pytest.mark.timeout(900)
def test_it_gets_the_same_verdict_in_docker(in_docker: Sent, slug: str, known: KnownSubmission) -> None:
    in_docker.check(slug, known)


def test_every_problem_has_two_accepted_and_a_wrong_submission() -> None:
    for package in PACKAGES:
        verdicts = [known.verdict for known in package.submissions]

        assert verdicts.count(Verdict.ACCEPTED) >= 2, package.slug
        assert Verdict.WRONG_ANSWER in verdicts, package.slug
