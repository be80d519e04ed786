"""Submissions are timed beside the reference, in real boxes, and nothing that they do helps a slow one."""

import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.catalog.package import Package, load_package
from app.engine.boxes import box_spec
from app.engine.job import Job, Timeline
from app.engine.judge import judge
from app.engine.prepare import Draw, PreparedCase, prepare
from app.engine.timing import TOO_SLOW
from app.judging.verdicts import Finish, Phase, Verdict
from sandbox.guest_box import GuestBox
from sandbox.interface import Launcher
from sandbox.pool import Pool
from tests.sandbox.bench import Recorder
from tests.worker.bench import Bench, CountingPool

PACKAGE = load_package(Path(__file__).parents[1] / "kinds" / "efficiency")
SLOW = "    return sum(int(np.count_nonzero(x[i + 1 :] == total - x[i])) for i in range(len(x)))\n"
# The first call of an ordinary run is the sample; in a run that is timed, it has a size.
PRETENDS = (
    "import numpy as np\nfirst = []\n"
    "def count_pairs(x, total):\n"
    "    first.append(len(x))\n"
    "    if first[0] > 100 and len(first) > 1:\n"
    "        return 0\n" + SLOW
)


@pytest.fixture(scope="module")
def cases(references: Pool) -> tuple[PreparedCase, ...]:
    return prepare(PACKAGE, Draw(b"secret", 0), references, threading.Event()).cases


def judged(
    source: str,
    pool: Pool,
    references: Pool,
    cases: tuple[PreparedCase, ...],
    wait: Callable[[threading.Event], None] | None = None,
    phases: list[str] | None = None,
    package: Package = PACKAGE,
) -> Finish:
    def tell(now: Sequence[Phase]) -> None:
        if phases is not None:
            phases.append(now[-1].name)

    job = Job(
        package=package,
        source=source,
        cases=cases,
        references=references,
        timeline=Timeline(tell),
        wait_until_quieter=wait,
    )
    return judge(job, pool, lambda _: None, threading.Event())


@pytest.mark.whole
def test_a_slow_solution_is_refused_at_the_largest_size_only(
    pool: Pool, references: Pool, cases: tuple[PreparedCase, ...]
) -> None:
    source = f"import numpy as np\ndef count_pairs(x, total):\n{SLOW}"

    found = judged(source, pool, references, cases)

    assert found.verdict is Verdict.REQUIREMENT_NOT_MET
    refused = {result.name: result.report for result in found.cases if result.verdict is not Verdict.ACCEPTED}
    assert refused == {"n_50000_a": {"category": TOO_SLOW}, "n_50000_b": {"category": TOO_SLOW}}
    assert found.times is not None
    assert "times the reference's time at n = 50,000 (allowed: 4 times)" in found.times.sentence
    assert found.score == 100 * 5 // 7


def test_a_program_that_only_pretends_to_work_while_it_is_timed_is_wrong(
    pool: Pool, references: Pool, cases: tuple[PreparedCase, ...]
) -> None:
    found = judged(PRETENDS, pool, references, cases)

    assert found.verdict is Verdict.WRONG_ANSWER
    assert found.times is None


def count_processes(boxes: Sequence[GuestBox]) -> int:
    return sum(len(psutil.Process(box.vessel.pid).children(recursive=True)) for box in boxes)


def test_a_submission_whose_process_takes_long_to_end_is_gone_before_the_reference_is_timed(
    launcher: Launcher, cases: tuple[PreparedCase, ...]
) -> None:
    source = f"import numpy as np\nkept = np.ones(40_000_000)\n{PACKAGE.reference}"
    recorder, seen = Recorder(launcher), list[int]()

    class Watching(CountingPool):
        def take(self, *given: Any, **named: Any) -> Any:
            seen.append(count_processes(recorder.launched))
            return super().take(*given, **named)

    with (
        closing(Pool(recorder, capacity=1, max_runs=1000)) as pool,
        closing(Watching(launcher, capacity=2, max_runs=1000)) as references,
    ):
        with pool.lease(box_spec(PACKAGE.manifest), threading.Event()):
            alone = count_processes(recorder.launched)
        found = judged(source, pool, references, cases)

    assert found.verdict is Verdict.ACCEPTED
    assert seen == [alone] * len(seen)
    assert len(seen) >= 2


def test_a_submission_on_samples_is_not_timed(pool: Pool, references: Pool, cases: tuple[PreparedCase, ...]) -> None:
    found = judged(PACKAGE.reference, pool, references, cases[:1])

    assert (found.verdict, found.times) == (Verdict.ACCEPTED, None)


def test_a_wrong_submission_is_not_timed(pool: Pool, references: Pool, cases: tuple[PreparedCase, ...]) -> None:
    phases: list[str] = []

    found = judged("def count_pairs(x, total):\n    return 0\n", pool, references, cases, phases=phases)

    assert (found.verdict, found.times) == (Verdict.WRONG_ANSWER, None)
    assert len(found.cases) == len(cases)
    assert "timing" not in phases


@pytest.mark.whole
def test_a_submission_found_too_slow_on_a_busy_machine_is_timed_again_when_it_is_quieter(
    pool: Pool, references: Pool, cases: tuple[PreparedCase, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (1000.0, 1000.0, 1000.0))
    source, waits, phases = f"import numpy as np\ndef count_pairs(x, total):\n{SLOW}", list[bool](), list[str]()

    found = judged(source, pool, references, cases, wait=lambda _: waits.append(True), phases=phases)

    assert found.verdict is Verdict.REQUIREMENT_NOT_MET
    assert waits == [True]
    assert phases[-3:] == ["timing", "waiting", "timing"]


def test_the_worker_stores_the_times_with_the_verdict(bench: Bench) -> None:
    judging = bench.judge(bench.publish(PACKAGE), PACKAGE.reference)

    assert judging.verdict == "accepted"
    assert judging.times is not None
    assert judging.times["max_time_ratio"] == 4
    assert "timing" in [phase["name"] for phase in judging.phases or ()]
