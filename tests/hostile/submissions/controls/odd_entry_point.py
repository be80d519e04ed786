# mechanism: honest: the entry point is an object that can be called, made by partial and wrapped
# verdict: accepted
from dataclasses import dataclass
from functools import lru_cache, partial, wraps

import numpy as np


def logged(function):
    @wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


@dataclass
class Standardise:
    scale: np.float32

    @lru_cache(maxsize=8)  # noqa: B019
    def variance_of(self, key):
        return np.frombuffer(key, np.float32).var()

    __hash__ = object.__hash__

    def __call__(self, _, x, eps):
        return (x - x.mean()) / np.sqrt(self.variance_of(x.tobytes()) * self.scale + np.float32(eps))


standardise = partial(logged(Standardise(np.float32(1))), None)
