"""The whole fault suite, and its table for docs/reliability.md.

usage: python -m tests.faults [--faults 500] [--seed 1]
"""

import argparse
import os
import platform
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from tests.faults.suite import Report, run, share_out


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--faults", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=None, help="default: 0.7 for each fault")
    parser.add_argument("--students", type=int, default=8)
    parser.add_argument("--only", default="", help="only kinds whose name contains this text")
    parser.add_argument("--keep", type=Path, default=None, help="keep the logs in this folder")
    chosen = parser.parse_args()
    counts = {name: times for name, times in share_out(chosen.faults).items() if chosen.only in name}
    with tempfile.TemporaryDirectory(prefix="allclose-faults-") as folder:
        report = run(
            chosen.keep or Path(folder),
            counts,
            seed=chosen.seed,
            seconds=chosen.seconds or 0.7 * chosen.faults,
            students=chosen.students,
        )
    print(write_table(report, chosen.seed))
    print_faults(report)
    return 1 if report.broken else 0


def write_table(report: Report, seed: int) -> str:
    facts = ", ".join(f"{number:,} {what}" for what, number in report.facts.items())
    lines = [
        f"Measured on {datetime.now(UTC):%Y-%m-%d}, on {os.cpu_count()} cores ({platform.machine()}, Linux "
        f"{platform.release().partition('-')[0]}), with seed {seed}, in {report.seconds:.0f} s: {facts}.",
        "",
        "| fault | times | lost | doubled | wrong | given up | longest recovery (s) |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for row in report.rows:
        counts = f"{row.times} | {row.lost} | {row.doubled} | {row.wrong} | {row.given_up}"
        lines.append(f"| {row.name} | {counts} | {row.recovery_seconds:.1f} |")
    broken = report.broken
    totals = (report.faults, *map(len, (broken.lost, broken.doubled, broken.wrong, broken.given_up)))
    total = " | ".join(map(str, totals))
    longest = max((row.recovery_seconds for row in report.rows), default=0)
    lines.append(f"| **all** | {total} | {longest:.1f} |")
    lines += [f"\nNot injected: {name}, since {why}." for name, why in report.skipped.items()]
    return "\n".join(lines) + "\n"


def print_faults(report: Report) -> None:
    for what in ("lost", "doubled", "wrong", "given_up"):
        for number, why in getattr(report.broken, what).items():
            print(f"{what}: submission {number}: {why}", file=sys.stderr)
    for why in report.broken.left:
        print(why, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
