"""Write docs/operations/capacity.md again from benchmarks/results.json, after a change of an assumption.

python -m benchmarks.capacity
"""

import sys

from app.settings import ROOT
from benchmarks.capacity.page import PAGE, PART, write_capacity
from benchmarks.results import read_results


def main() -> int:
    results = read_results(ROOT / "benchmarks" / "results.json")
    write_capacity(results, PAGE, ROOT / "docs" / "plots")
    if PART not in results:
        print('benchmarks/results.json has no costs yet: run make bench ARGS="--only capacity" on a quiet machine')
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
