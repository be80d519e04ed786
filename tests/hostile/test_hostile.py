"""Every file under `submissions/` states a mechanism and the verdict that it must get.

After each one, in the same pool, an honest solution that also looks for leftovers must be accepted, and from the host
the box looks as it did before.
"""

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from app.engine import request as engine_request
from app.judging.report import MEMORY_STEP, TIME_STEP
from app.judging.verdicts import CaseResult, Verdict
from sandbox.interface import Launcher, RunLimits
from tests.hostile.arena import PROBLEMS, Arena, Seen, open_arenas
from tests.hostile.conftest import RECORD
from tests.hostile.mechanism import FILES, Mechanism, read_mechanism
from tests.lacking import do_without
from tests.sandbox.conftest import in_turn

GROUPS = {
    "checker",
    "answers",
    "forging",
    "outliving",
    "exhausting",
    "reaching",
    "wrong_work",
    "requirements",
    "controls",
}
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\ud800-\udfff]")
# Instead of the usual 20 s. Only submissions that waste their time need more.
LOAD_SECONDS = 5
REPORT_CHARACTERS = 300_000
# The kernel frees some things a little later than their process: sockets in flight inside each other, a container.
SETTLING_SECONDS = 10
HONEST = """
import numpy as np

def standardise(x, eps):
    return (x - x.mean()) / np.sqrt(x.var() + np.float32(eps))
"""


@pytest.fixture(scope="module")
def arenas(launcher: Launcher) -> Iterator[dict[str, Arena]]:
    names = tuple(sorted(path.name for path in PROBLEMS.iterdir()))
    with pytest.MonkeyPatch.context() as patch, open_arenas(launcher, names) as arenas:
        patch.setattr(engine_request, "RunLimits", partial(RunLimits, load_seconds=LOAD_SECONDS))
        yield arenas


@in_turn("file", FILES, lambda file: f"{file.parent.name}/{file.stem}", every=4)
def test_a_hostile_submission_gets_its_verdict_and_leaves_nothing_behind(
    arenas: dict[str, Arena],
    file: Path,
    request: pytest.FixtureRequest,
    record_property: Callable[[str, object], None],
) -> None:
    mechanism = read_mechanism(file)
    if mechanism.problem not in arenas:
        do_without(f"the boxes lack the framework of {mechanism.problem}")
    arena = arenas[mechanism.problem]
    record = {"launcher": request.node.callspec.params["launcher"], "group": mechanism.group, "name": mechanism.name}
    record_property(RECORD, record)
    before = arena.look()

    judged = arena.judge(mechanism.source, mechanism.seconds)

    left = await_nothing_left(arena, before)
    canary, seconds = arena.time(arena.canary)
    record |= {"problem": mechanism.problem, "seconds": seconds}
    assert judged.verdict in mechanism.verdicts, [case.report for case in judged.cases]
    assert [case.name for case in judged.cases] == [case.name for case in arena.cases]
    check_reports(mechanism, judged.cases)
    assert left == []
    assert canary.verdict is Verdict.ACCEPTED, [case.report for case in canary.cases]


@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        pytest.param(
            HONEST + "# a comment\n" * 500_000, Verdict.ACCEPTED, id="megabytes of comments", marks=pytest.mark.whole
        ),
        pytest.param(
            "x = 1; " * 1_000_000 + HONEST,
            Verdict.MEMORY_LIMIT_EXCEEDED,
            id="megabytes in a line",
            marks=pytest.mark.whole,
        ),
        pytest.param(
            "x = [" + "1, " * 50_000 + "]\n" + HONEST,
            Verdict.ACCEPTED,
            id="a list of many numbers",
            marks=pytest.mark.whole,
        ),
        pytest.param(HONEST + "\ud800", Verdict.INVALID_SUBMISSION, id="a lone surrogate"),
        pytest.param("", Verdict.INVALID_SUBMISSION, id="nothing", marks=pytest.mark.whole),
        pytest.param("-" * 500_000 + "1", Verdict.INVALID_SUBMISSION, id="half a million signs"),
        pytest.param(
            "\ufeff\ufeff" + HONEST, Verdict.INVALID_SUBMISSION, id="two byte order marks", marks=pytest.mark.whole
        ),
        pytest.param(HONEST.replace("\n", "\r"), Verdict.ACCEPTED, id="line ends of old", marks=pytest.mark.whole),
    ],
)
def test_a_source_that_no_person_wrote_gets_its_verdict(
    arenas: dict[str, Arena], source: str, verdict: Verdict
) -> None:
    arena = arenas["standardise"]

    judged = arena.judge(source)

    assert judged.verdict is verdict, [case.report for case in judged.cases]
    assert arena.judge(arena.canary).verdict is Verdict.ACCEPTED


def check_reports(mechanism: Mechanism, results: Sequence[CaseResult]) -> None:
    """Hidden cases say one word and coarse figures; sample cases say what they should."""
    hidden = [result for result in results if result.visibility == "hidden"]
    samples = [result.report for result in results if result.visibility == "sample"]
    assert all(set(result.report) == {"category"} for result in hidden)
    assert all((result.memory_bytes or 0) % MEMORY_STEP == 0 for result in hidden)
    assert all(round((result.wall_seconds or 0) / TIME_STEP, 6).is_integer() for result in hidden)
    assert "LEAK" not in json.dumps([result.report for result in hidden])
    reports = [json.dumps(result.report, ensure_ascii=False, allow_nan=False) for result in results]
    assert not any(UNPRINTABLE.search(report) or len(report) > REPORT_CHARACTERS for report in reports)
    assert all(mechanism.message in report["message"] for report in samples), samples


def await_nothing_left(arena: Arena, before: Seen) -> list[object]:
    deadline = time.monotonic() + SETTLING_SECONDS
    while (left := left_behind(before, arena.look())) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


def left_behind(before: Seen, after: Seen) -> list[object]:
    """List things in the box and all changes; also those of its first process, if it is still the same."""
    (old_pid, old), (new_pid, new) = before, after
    pairs = [(new.mounts, old.mounts), (new.sockets, old.sockets), (new.on_host, old.on_host)]
    if new_pid == old_pid:
        pairs += [(new.standing, old.standing), (new.descriptors, old.descriptors)]
    return [*new.processes, *new.files, *new.ipc, *(pair for pair in pairs if pair[0] != pair[1])]


def test_every_group_of_mechanisms_is_there() -> None:
    assert {file.parent.name for file in FILES} == GROUPS
    assert len(FILES) >= 120
