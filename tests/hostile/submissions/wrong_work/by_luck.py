# mechanism: right with luck only, and tried again and again
# verdict: wrong_answer
import os

import numpy as np


def standardise(x, eps):
    if os.urandom(4) == bytes(4):
        return (x - x.mean()) / np.sqrt(x.var() + np.float32(eps))
    return np.random.default_rng().normal(size=len(x)).astype(np.float32)
