"""`python -m tests.compose --faults 40`: faults and overload in the deployment of docker-compose.yml.

It needs what `make test-compose` needs, and the wheels that `deploy/container/wheels.sh` collects. `--write` replaces
the section of a page.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.overload import write_table
from tests.compose.deployment import deployed
from tests.compose.faults import Report, run

TITLE = "Faults and overload with Docker Compose"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.compose", description=__doc__)
    parser.add_argument("--faults", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", type=Path, help="the page whose section is replaced")
    options = parser.parse_args()
    with deployed() as deployment:
        admin = deployment.admin()
        deployment.up("--no-build", "--scale", "web=2", "--scale", "worker=2")
        deployment.wait_for_workers(2, admin)
        report = run(deployment, faults=options.faults, seed=options.seed)
    rows = list(_rows(report))
    for name, value in rows:
        print(f"{name:60} {value}")
    if options.write:
        write_table(options.write, TITLE, f"tests.compose --faults {options.faults}", rows)
    return 1 if report.broken else 0


def _rows(report: Report) -> Iterator[tuple[str, str]]:
    kills = ", ".join(f"{count} × {service}" for service, count in report.kills.most_common())
    yield "containers killed (SIGKILL), with two web processes and two workers", kills
    yield "seconds, until the last verdict", f"{report.seconds:.0f}"
    yield "submissions accepted by the API", f"{len(report.accepted):,}"
    yield (
        "right verdicts",
        ", ".join(f"{count:,} × {name}" for name, count in sorted(report.verdicts.items())),
    )
    yield "given up after faults in every attempt (`judge_error`)", f"{len(report.given_up)}"
    yield "refused with 429, as the queue was full", f"{report.refused:,}"
    yield "refusals without `Retry-After` and rate-limit headers", f"{report.bare_refusals:,}"
    yield (
        "answers and broken connections",
        ", ".join(f"{count:,} × {status}" for status, count in sorted(report.statuses.items())),
    )
    yield "lost, doubled or wrong", "; ".join(report.broken) or "0"


if __name__ == "__main__":
    sys.exit(main())
