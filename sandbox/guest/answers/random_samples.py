"""Random answers: the function is called with other seeds, and its samples or their statistics are the answer.

`repeats` says whether the same seed gives the same sample again, `varies` whether another seed gives another one. Both
are compared with the reference's.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from sandbox.guest.answers.case import Case
from sandbox.guest.convert import plain

SEEDS = 2**31


def call(solution: Callable[..., object], case: Case) -> object:
    seed, count = case.inputs[case.options["seed"]], case.number("repeat")

    def sample(number: int) -> Any:
        changed = case.with_inputs(**{case.options["seed"]: (seed + number) % SEEDS})
        value: Any = plain(solution(*changed.arguments().values()))
        return np.array(value)

    samples = [sample(number) for number in range(count)]
    again, other = sample(0), samples[1] if count > 1 else sample(1)
    answer: dict[str, Any] = {"repeats": is_same(samples[0], again), "varies": not is_same(samples[0], other)}
    whole = np.stack(samples) if count > 1 else samples[0]
    statistics = case.options["statistics"]
    if not statistics:
        return {"samples": whole, **answer}
    wide = whole.astype(np.float64)
    return {"statistics": {name: STATISTICS[name](wide) for name in statistics}, **answer}


def is_same(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    return one.shape == other.shape and one.tobytes() == other.tobytes()


STATISTICS: dict[str, Callable[[Any], Any]] = {
    "mean": lambda samples: samples.mean(axis=0),
    "std": lambda samples: samples.std(axis=0),
    "median": lambda samples: np.median(samples, axis=0),
    "min": lambda samples: samples.min(axis=0),
    "max": lambda samples: samples.max(axis=0),
}
