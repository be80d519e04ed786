"""`make bench`: measure the figures of docs/performance.md, which explains its use."""

import argparse
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from app.settings import ROOT
from benchmarks import capacity, cost, growth, load, verdicts
from benchmarks.machine import MAX_BUSY_CORES, Run, count_busy_cores, describe_machine, list_versions, say
from benchmarks.plots import write_plots
from benchmarks.report import PARTS, SHOWN, list_lines, write_section
from benchmarks.results import Figure, Part, Results, compare, read_results, write_results

COMMITTED = Path(__file__).with_name("results.json")
PAGE = ROOT / "docs" / "performance.md"
PLOTS = ROOT / "docs" / "plots"
# All plots, and the output of quick and comparing runs, which change no file of the repository.
BUILD = ROOT / "build" / "bench"
LOCKED = ROOT / "sandbox" / "images" / "cpu.txt"
WATCH_SECONDS = 3.0
REPEAT, QUICK_REPEAT = 10, 2
FACTOR = 1.3
# Other settings are removed, so that the benchmark never uses your own server or database.
KEPT_SETTINGS = {"ALLCLOSE_RUNTIME", "ALLCLOSE_IMAGE_CPU"}

# The longest waits for an idle machine: while a problem's library code compiles, and on a machine that is busy anyway.
PATIENCE_SECONDS, BUSY_PATIENCE_SECONDS = 900, 10

Measure = Callable[[Run], tuple[list[Figure], list[str]]]
MEASURES: dict[str, Measure] = {
    "verdicts": verdicts.measure,
    "cost": cost.measure,
    "load": load.measure,
    "growth": growth.measure,
    "capacity": capacity.measure,
}


def main() -> int:
    options = _parser().parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that servers and containers are stopped
    for name in [name for name in os.environ if name.startswith("ALLCLOSE_") and name not in KEPT_SETTINGS]:
        del os.environ[name]
    busy = count_busy_cores(WATCH_SECONDS)
    if busy > MAX_BUSY_CORES and not options.busy:
        print(f"Other processes use {busy:.1f} cores. Stop them or wait, or measure anyway with ARGS=--busy.")
        return 2
    committed = read_results(COMMITTED)
    changes_nothing = options.quick or options.check or bool(options.against or options.problem)
    kept, target = ({}, BUILD / "results.json") if changes_nothing else (committed, COMMITTED)
    results = {}
    for name, part in _measure(options):
        results[name] = part
        write_results(target, {**kept, **results})  # after each part, since the next one may fail
        print("\n".join(list_lines(name, part)))
    if options.check:
        return _print_changes(committed, results, options.factor)
    _show({**kept, **results}, (BUILD if changes_nothing else PAGE.parent) / PAGE.name)
    if not changes_nothing:
        for name in SHOWN:
            shutil.copy(BUILD / f"{name}.svg", PLOTS)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make bench", description="Pass options in ARGS: make bench ARGS=--quick")
    parser.add_argument("--only", action="append", choices=list(PARTS), help="measure only this part; repeatable")
    parser.add_argument("--repeat", type=_positive, help=f"how often to measure each verdict (default {REPEAT})")
    parser.add_argument("--quick", action="store_true", help="a small trial run, which writes only to build/bench")
    parser.add_argument("--check", action="store_true", help="compare the ratios with the committed ones")
    parser.add_argument("--problem", action="append", default=[], help="measure only this problem (cost); repeatable")
    parser.add_argument("--against", type=Path, action="append", default=[], help="compare with this checkout (cost)")
    parser.add_argument("--factor", type=float, default=FACTOR, help="report ratios that changed by more than this")
    parser.add_argument("--busy", action="store_true", help="measure even if other processes use the cores")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def _measure(options: argparse.Namespace) -> Iterator[tuple[str, Part]]:
    """Measure the parts one after another. They share a temporary folder, so that problems are prepared only once."""
    repeat = options.repeat or (QUICK_REPEAT if options.quick else REPEAT)
    with tempfile.TemporaryDirectory(prefix="allclose-bench-") as folder:
        for name in options.only or PARTS:
            busy = count_busy_cores(WATCH_SECONDS)
            say(f"{name}: starting")
            patience = BUSY_PATIENCE_SECONDS if busy > MAX_BUSY_CORES else PATIENCE_SECONDS
            run = Run(
                folder=Path(folder),
                repeat=repeat,
                is_quick=options.quick,
                patience_seconds=patience,
                problems=options.problem,
                against=[checkout.resolve() for checkout in options.against],
            )
            figures, notes = MEASURES[name](run)
            for note in notes:
                say(note)
            yield (
                name,
                Part(
                    date=f"{datetime.now(UTC):%Y-%m-%d}",
                    machine=describe_machine(),
                    versions=list_versions(LOCKED),
                    repeat=repeat,
                    busy_cores=round(busy, 2),
                    notes=notes,
                    figures=figures,
                ),
            )


def _print_changes(committed: Results, results: Results, factor: float) -> int:
    """Print the changes. Return 1 if a ratio got worse."""
    changes = compare(committed, results, factor)
    for change in changes:
        print(change)
    worse = sum(change.is_worse for change in changes)
    compared = sum(len(part.ratios()) for part in results.values())
    print(f"Of {compared} ratios, {worse} got worse by more than a factor of {factor:g}.")
    return 1 if worse else 0


def _show(results: Results, page: Path) -> None:
    write_plots(BUILD, results)
    page.write_text(write_section(PAGE.read_text(), results))
    say(f"wrote {page.relative_to(ROOT)}, and all plots to {BUILD.relative_to(ROOT)}")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
