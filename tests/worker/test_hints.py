"""Known mistakes, from a package's wrong solutions to the hint on a judging."""

import threading
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
from sqlalchemy import select

from app.catalog.model import MistakeOutput, Revision
from app.catalog.package import Package, package_from_files
from app.catalog.sample_record import SampleRecord
from app.engine.hints import Question, find_hint, list_mistakes, mistake_outputs, record_samples, unpack
from app.engine.prepare import Draw, prepare
from app.submissions.judging_record import JudgingClaim
from app.submissions.view import Mode
from app.worker.hint_recorder import HELD_BYTES, HintRecorder, KnownMistakes
from app.worker.work import Work
from sandbox.guest.codec import Tree, encode
from tests.judging.checkers.test_every_checker import hostile
from tests.queue.fleet import wait_until
from tests.worker.bench import STANDARDISE, Bench

HEAD = "import numpy as np\n\ndef standardise(x, eps):\n    "
RIGHT = "(x - x.mean()) / np.sqrt(x.var() + np.float32(eps))"
ZEROS = f"{HEAD}return 0 * x\n"
UNSCALED = f"{HEAD}return x - x.mean()\n"
# Right in the sample, which has no eps.
TEN_EPS = f"{HEAD}return (x - x.mean()) / np.sqrt(x.var() + np.float32(10 * eps))\n"
HINTS = {
    "zeros": "answers zeros",
    "unscaled": "leaves the division out",
    "ten_eps": "adds ten times eps",
    "uncentred": "leaves the mean in",
    "hardly_wrong": "is outside of the tolerance by a hair",
}


def with_mistakes(**sources: str) -> Package:
    """The quick problem with these wrong solutions besides `zeros`, by name."""
    files = dict(STANDARDISE.files)
    for name, source in sources.items():
        files[f"submissions/wrong_answer/{name}.py"] = f'"""Mistake: {HINTS[name]}"""\n{source}'.encode()
    text = files["problem.yaml"].decode()
    files["problem.yaml"] = text[: text.index("  wrong_answer:")].encode()
    files["submissions/wrong_answer/zeros.py"] = f"# {HINTS['zeros']}\n{ZEROS}".encode()
    return package_from_files(STANDARDISE.slug, files)


PACKAGE = with_mistakes(unscaled=UNSCALED, ten_eps=TEN_EPS)
TWO_SAMPLES = package_from_files(
    PACKAGE.slug,
    {
        **PACKAGE.files,
        "problem.yaml": PACKAGE.files["problem.yaml"].replace(
            b"name: hundred", b"name: hundred\n    visibility: sample"
        ),
    },
)


def publish_prepared(bench: Bench, package: Package = PACKAGE) -> Revision:
    """Publish the package, and compute the answers of its known mistakes."""
    revision = bench.publish(package)
    bench.known().get(revision, package, 0, threading.Event())
    return revision


def hint_of(bench: Bench, revision: Revision, source: str) -> str | None:
    judging = bench.judge(revision, source)
    assert (judging.state, judging.verdict) == ("done", "wrong_answer")
    return judging.hint


@contextmanager
def started(hint_recorder: HintRecorder) -> Iterator[None]:
    hint_recorder.start()
    try:
        yield
    finally:
        hint_recorder.stop()


def test_answers_of_a_mistake_are_kept_for_cases_where_they_are_far_from_right(bench: Bench) -> None:
    nearly = f"{HEAD}return {RIGHT} + np.float32(3e-4)\n"
    package = with_mistakes(ten_eps=TEN_EPS, hardly_wrong=nearly)
    cases = prepare(package, Draw(b"secret", 0), bench.pool, threading.Event()).cases

    found = mistake_outputs(package, list_mistakes(package), cases, bench.pool, threading.Event())

    assert {name: set(answers) for name, answers in found.items()} == {
        "zeros": {"small", "hundred", "thousand", "five_thousand"},
        "ten_eps": {"thousand", "five_thousand"},
        "hardly_wrong": set(),
    }


@pytest.mark.parametrize(
    ("source", "mistake"),
    [
        (f"{HEAD}return np.zeros(len(x))\n", "zeros"),  # of a wider dtype, as the problem allows
        (f"{HEAD}return [] if eps == 0.1 else x * 0\n", None),
        (TEN_EPS, "ten_eps"),
        (f"{HEAD}return {RIGHT} * np.float32(1.001)\n", None),
        (f"{HEAD}return x - x.mean() if eps else {RIGHT}\n", None),
        (f"{HEAD}return x - x.mean() if eps else 1 / 0\n", "unscaled"),
    ],
    ids=[
        "within tolerance",
        "refuted",
        "hidden only",
        "almost right",
        "not in a sample",
        "raises",
    ],
)
def test_a_wrong_submission_is_told_the_mistake_that_it_makes(bench: Bench, source: str, mistake: str | None) -> None:
    hint = bench.judge(publish_prepared(bench), source).hint

    assert hint == (HINTS[mistake] if mistake else None)


@pytest.mark.parametrize(
    ("source", "is_told"),
    [
        (f"{HEAD}return x.copy()\n", True),
        (f"{HEAD}return UNCENTRED if len(x) < 500 else x - x.mean()\n", False),
        (f"{HEAD}return 3 * x\n", False),
    ],
    ids=["both at once", "one or the other", "another error"],
)
def test_two_mistakes_at_once_are_told_where_both_explain_the_answers(bench: Bench, source: str, is_told: bool) -> None:
    uncentred = "x / np.sqrt(x.var() + np.float32(eps))"
    package = with_mistakes(unscaled=UNSCALED, uncentred=f"{HEAD}return {uncentred}\n", ten_eps=TEN_EPS)

    hint = hint_of(bench, publish_prepared(bench, package), source.replace("UNCENTRED", uncentred))

    told = "Two mistakes at once: (1) leaves the division out; (2) leaves the mean in."
    assert hint == (told if is_told else None)


def test_two_ways_to_one_mistake_may_have_one_hint(bench: Bench) -> None:
    files = dict(with_mistakes(unscaled=UNSCALED, ten_eps=TEN_EPS).files)
    files["submissions/wrong_answer/other.py"] = files["submissions/wrong_answer/unscaled.py"] + b"# by another way\n"

    assert (
        hint_of(bench, publish_prepared(bench, package_from_files("standardise", files)), UNSCALED)
        == (HINTS["unscaled"])
    )


def publish_recorded(bench: Bench, recorded_from: Package = PACKAGE) -> Revision:
    """Publish the package with the record of its samples. No mistake is computed for a variant."""
    record = record_samples(recorded_from, bench.pool, threading.Event())
    return bench.publish(replace(recorded_from, samples=record))


@pytest.mark.parametrize(("mode", "may_change"), [("submit", True), ("sample", False)])
def test_the_recorded_samples_give_a_hint_with_the_verdict(bench: Bench, mode: Mode, may_change: bool) -> None:
    judging = bench.judge(publish_recorded(bench, TWO_SAMPLES), ZEROS, mode)

    assert (judging.verdict, judging.hint, judging.hint_pending) == ("wrong_answer", HINTS["zeros"], may_change)


def test_hidden_cases_refute_a_hint_that_the_samples_gave(bench: Bench) -> None:
    revision = publish_recorded(bench, TWO_SAMPLES)
    bench.send(revision, f"{HEAD}return 0 * x if len(x) < 500 else {RIGHT}\n")
    hint_recorder = bench.hint_recorder()
    bench.worker(hint_recorder).judge(bench.claim(), threading.Event())
    first = bench.judging().hint

    with started(hint_recorder):
        wait_until(lambda: not bench.judging().hint_pending)

    assert (first, bench.judging().hint) == (HINTS["zeros"], None)


def test_a_record_without_a_mistake_gives_no_hint(bench: Bench) -> None:
    record = record_samples(TWO_SAMPLES, bench.pool, threading.Event())
    partly = record.model_copy(update={"mistakes": {"zeros": record.mistakes["zeros"]}})

    judging = bench.judge(bench.publish(replace(TWO_SAMPLES, samples=partly)), ZEROS)

    assert (judging.hint, judging.hint_pending) == (None, True)


def test_a_record_has_samples_only(bench: Bench) -> None:
    record = record_samples(TWO_SAMPLES, bench.pool, threading.Event())

    assert set(record.previews) == {"small", "hundred"}
    assert {name: set(unpack(b64decode(answers))) for name, answers in record.mistakes.items()} == {
        "zeros": {"small", "hundred"},
        "unscaled": {"small", "hundred"},
        "ten_eps": set(),
    }


def test_a_false_record_changes_no_verdict(bench: Bench) -> None:
    values = {"leaves": [{"path": "", "values": [0, 0, 0, 0]}]}
    record = SampleRecord(digest="", previews={"small": ({"x": values}, values)}, mistakes={})
    revision = bench.publish(replace(PACKAGE, samples=record))

    right = bench.judge(revision, f"{HEAD}return {RIGHT}\n")

    assert right.verdict == "accepted"


def pending(bench: Bench) -> tuple[JudgingClaim, Work, Question]:
    """Judge a wrong submission whose hint is pending. Nothing looks for it yet."""
    bench.send(bench.publish(PACKAGE), UNSCALED)
    claim = bench.claim()
    judged = bench.worker().judge(claim, threading.Event())
    answers = judged.outcomes.answers
    return claim, judged.work, Question(package=PACKAGE, answers=answers, wrong=frozenset(answers))


def test_many_wrong_submissions_may_wait_for_their_hints(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    hint_recorder, (claim, work, question) = bench.hint_recorder(), pending(bench)

    for _ in range(500):
        hint_recorder.add_later(claim, work, question, None)
    with started(hint_recorder):
        wait_until(lambda: not bench.judging().hint_pending)

    assert bench.judging().hint == HINTS["unscaled"]
    assert "too many submissions wait" not in caplog.text


def test_answers_that_wait_for_hints_have_a_size_limit_beyond_which_the_first_hint_stays(bench: Bench) -> None:
    hint_recorder, (claim, work, question) = bench.hint_recorder(), pending(bench)
    large = replace(question, answers={"small": bytes(HELD_BYTES + 1)})

    hint_recorder.add_later(claim, work, large, "the first hint")

    assert (bench.judging().hint, bench.judging().hint_pending) == ("the first hint", False)


def test_answers_of_mistakes_are_computed_once_for_each_variant(bench: Bench) -> None:
    revision = publish_prepared(bench)
    bench.pool.leases = 0

    bench.known().get(revision, PACKAGE, 0, threading.Event())

    assert bench.pool.leases == 0
    assert bench.known().find(revision, PACKAGE, 1, threading.Event()) is None
    with bench.database.transaction() as session:
        stored = session.execute(select(MistakeOutput.mistake, MistakeOutput.variant)).all()
    assert sorted(map(tuple, stored)) == [("ten_eps", 0), ("unscaled", 0), ("zeros", 0)]


def test_a_package_whose_mistakes_can_not_run_still_judges(bench: Bench) -> None:
    package = with_mistakes(unscaled="import nonsense\n" + UNSCALED, ten_eps=f"{HEAD}return nothing\n")

    assert hint_of(bench, publish_prepared(bench, package), ZEROS) == HINTS["zeros"]


HUGE: list[Tree] = [10**400, -(2**64), {"\x00": 10**400}, "\x00", 1e308]


@pytest.mark.parametrize("expected", [2.5, np.arange(3.0), 2**70], ids=["a number", "an array", "a large int"])
def test_no_answer_makes_the_search_for_known_mistakes_fail(expected: Tree) -> None:
    cases = ("small", "hundred")
    for answer in [*hostile(np.shape(cast(Any, expected))), *HUGE]:
        answers = dict.fromkeys(cases, encode([answer, expected]))
        right = [expected, expected]
        outputs = dict.fromkeys(cases, encode(right))
        question = Question(package=PACKAGE, answers=answers, wrong=frozenset(cases), expected=outputs)
        for other in (right, [answer, answer]):
            known = {"unscaled": dict.fromkeys(cases, cast(Tree, other)), "ten_eps": dict.fromkeys(cases, right)}

            assert find_hint(question, known) is None


class BrokenMistakes(KnownMistakes):
    def find(self, *_: Any) -> None:
        raise OverflowError("int too large to convert to float")


def test_a_search_for_known_mistakes_that_fails_costs_only_the_hint(bench: Bench) -> None:
    revision = publish_prepared(bench)
    bench.send(revision, ZEROS)
    recorder = HintRecorder(bench.database, BrokenMistakes(bench.database, bench.expected()))

    judged = bench.worker(recorder).judge(bench.claim(), threading.Event())

    assert (judged.finish.hint, judged.finish.hint_pending) == (None, False)
    assert bench.judging().verdict == "wrong_answer"
