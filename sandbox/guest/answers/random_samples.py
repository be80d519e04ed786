"""Random answers: the function is called with several seeds, and its samples are the answer.

The worker decides by the values whether they are random, and computes their statistics: what this process says about
them counts for nothing. See `app/judging/random_samples.py`.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from sandbox.guest.answers.driver_case import DriverCase
from sandbox.guest.convert import plain

SEEDS = 2**31
# So many rows show whether they differ. A single call may have them along axis 0.
LEAST_ROWS = 14


def call(solution: Callable[..., object], case: DriverCase) -> object:
    seed, count = case.inputs[case.options["seed"]], case.number("repeat")
    answer_of = import_module(f"sandbox.guest.answers.{case.options['of']}").call

    def sample(number: int) -> Any:
        changed = case.with_inputs(**{case.options["seed"]: (seed + number) % SEEDS})
        value: Any = answer_of(solution, changed)
        return np.array(plain(value["results"][-1] if case.options["of"] == "class_calls" else value))

    first = sample(0)
    has_rows = count == 1 and first.ndim > 0 and len(first) >= LEAST_ROWS
    others = [sample(number) for number in range(1, 2 if has_rows else max(count, LEAST_ROWS))]
    samples = first if count == 1 else np.stack([first, *others[: count - 1]])
    others = others[count - 1 :]
    further = np.stack(others) if others else np.empty((0, *first.shape), first.dtype)
    return {"samples": samples, "again": sample(0), "others": further}
