"""Both kinds of boxes side by side: how long one takes to be ready, and a submission in a warm one."""

import statistics
import threading
from collections.abc import Mapping
from contextlib import ExitStack, closing
from functools import partial

from app.catalog.package import load_package
from app.settings import ROOT, Settings
from app.worker.boxes import CORES_PER_BOX
from app.worker.judge import Job, judge
from app.worker.prepare import Draw, prepare
from benchmarks.report import report, timed
from sandbox.choice import choose_launcher
from sandbox.interface import BoxSpec, Launcher, SandboxUnavailable
from sandbox.pool import Pool

SLUG = "microbatched_grads"
SPECS = ((), ("jax",), ("flax", "jax", "optax"), ("torch",))
STARTS = 5
SUBMISSIONS = 40


def measure_boxes() -> None:
    launchers = {name: launcher for name in ("bubblewrap", "docker") if (launcher := _open(name)) is not None}
    for frameworks in SPECS:
        for name, launcher in launchers.items():
            what = f"a cold box with {', '.join(frameworks) or 'numpy alone'} to ready: {name}"
            report(what, [_start(launcher, frameworks) for _ in range(STARTS)])
    _warm(launchers)


def _open(name: str) -> Launcher | None:
    """None, with a word, where this machine has none."""
    try:
        sandbox = Settings(sandbox=name).sandbox
        return choose_launcher(sandbox, ROOT / ".runtime", cores_per_box=CORES_PER_BOX)
    except SandboxUnavailable as error:
        print(f"  not measured: {name} ({error})")
        return None


def _start(launcher: Launcher, frameworks: tuple[str, ...]) -> float:
    boxes = []
    seconds = timed(lambda: boxes.append(launcher.launch(BoxSpec(frameworks))))
    boxes[0].close()
    return seconds


def _warm(launchers: Mapping[str, Launcher]) -> None:
    """In turn, so that whatever else the machine does meets both alike."""
    package = load_package(ROOT / "problems" / SLUG)
    source = next(known.source for known in package.submissions if known.verdict == "accepted")
    with ExitStack() as stack:
        pools = {
            name: stack.enter_context(closing(Pool(launcher, capacity=1, max_runs=1000)))
            for name, launcher in launchers.items()
        }
        inspectors = {
            name: stack.enter_context(closing(Pool(launcher, capacity=1, max_runs=1000)))
            for name, launcher in launchers.items()
        }
        jobs = {
            name: Job(
                package=package,
                source=source,
                cases=prepare(package, Draw(b"bench", 0), pool, _NEVER).cases,
                inspectors=inspectors[name],
            )
            for name, pool in pools.items()
        }
        seconds: dict[str, list[float]] = {name: [] for name in pools}
        for _ in range(SUBMISSIONS):
            for name, pool in pools.items():
                seconds[name].append(timed(partial(judge, jobs[name], pool, _ignore, _NEVER)))
    for name, taken in seconds.items():
        report(f"{SLUG} judged in a warm box, no compilation cache: {name}", taken)
    if len(seconds) == 2:
        ratio = statistics.median(seconds["docker"]) / statistics.median(seconds["bubblewrap"])
        print(f"  {'the same, Docker over bubblewrap, medians':70} {ratio:.2f}")


_NEVER = threading.Event()


def _ignore(_result: object) -> None:
    return
