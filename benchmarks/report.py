"""How figures are taken and printed."""

import statistics
import time
from collections.abc import Callable


def timed(action: Callable[[], object]) -> float:
    begun = time.perf_counter()
    action()
    return time.perf_counter() - begun


def report(what: str, seconds: list[float]) -> None:
    spread = f" ({min(seconds):.2f} to {max(seconds):.2f})" if len(seconds) > 1 else ""
    print(f"  {what:70} {statistics.median(seconds):.2f}{spread}", flush=True)
