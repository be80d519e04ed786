"""`make bench`: the figures that the docs give, measured on this machine, with its description and the date."""

import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from app.catalog.package import load_package
from app.settings import ROOT
from benchmarks.boxes import measure_boxes
from benchmarks.large import measure_large
from benchmarks.pages import measure_pages
from benchmarks.rejudging import measure_rejudging
from benchmarks.report import report, timed
from benchmarks.sealed import measure_sealed
from tests.serving import Served, serve

SLUGS = ("microbatched_grads", "grad_accumulation_step_nnx", "train_with_accumulation")
JUDGINGS = 5
SUBMISSIONS = 20
BURST = 40
PATIENCE = 900
# For one user who sends a great deal.
MANY = {"max_pending": 1000, "judging_seconds_per_hour": 1_000_000}


def main() -> None:
    print(f"{datetime.now(UTC):%Y-%m-%d}, {_machine()}; seconds, median (least to most)\n", flush=True)
    measure_boxes()
    measure_large()
    measure_sealed()
    report("allclose judge microbatched_grads", [_judge("microbatched_grads") for _ in range(JUDGINGS)])
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        report("allclose serve, first start with an empty data folder, to ready", [_start(data, MANY)])
        with serve(data) as served:
            _wait_until_prepared(served)
        report("allclose serve, a later start, to ready", [_start(data) for _ in range(3)])
        with serve(data) as served:
            for slug in SLUGS:
                _submissions(served, slug)
            _burst(served)
            measure_pages(served)
    measure_rejudging(rounds=1)


def _wait_until_prepared(served: Served) -> None:
    begun = time.perf_counter()
    while "every known mistake can be recognised" not in served.text:
        assert time.perf_counter() - begun < PATIENCE, served.text
        time.sleep(1)
    print(f"  {'every variant of every problem prepared, in the background':70} {time.perf_counter() - begun:.0f}")


def _submissions(served: Served, slug: str) -> None:
    student, source = served.sign_up(), _accepted(slug)
    report(f"{slug}: first submission, to its verdict", [timed(lambda: student.submit(slug, source))])
    later = [timed(lambda: student.submit(slug, source)) for _ in range(SUBMISSIONS)]
    report(f"{slug}: the next {SUBMISSIONS}, one after another", later)


def _burst(served: Served) -> None:
    student, source = served.sign_up(), _accepted("microbatched_grads")

    def all_at_once() -> None:
        for submission in [student.send("microbatched_grads", source) for _ in range(BURST)]:
            student.result(submission)

    rate = BURST / timed(all_at_once)
    print(f"  {f'microbatched_grads: submissions per second, {BURST} at once':70} {rate:.1f}")


def _judge(slug: str) -> float:
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(_accepted(slug))
        file.flush()
        command = [sys.executable, "-m", "app.cli", "judge", str(ROOT / "problems" / slug), file.name]
        return timed(lambda: subprocess.run(command, check=True, capture_output=True))


def _start(data: Path, policy: Mapping[str, object] | None = None) -> float:
    begun = time.perf_counter()
    with serve(data) as served:
        taken = time.perf_counter() - begun
        if policy:
            served.set(policy)
    return taken


def _accepted(slug: str) -> str:
    known = load_package(ROOT / "problems" / slug).submissions
    return next(submission.source for submission in known if submission.verdict == "accepted")


def _machine() -> str:
    models = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    model = models[0].partition(": ")[2] if models else platform.machine()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    cores = len(os.sched_getaffinity(0))
    return f"{cores} cores of {model}, {memory:.0f} GiB, Linux {platform.release()}, Python {platform.python_version()}"


main()
