# mechanism: honest, but refused: a pool of processes, which fails at its first lock
# verdict: runtime_error
# message: use threads
from concurrent.futures import ProcessPoolExecutor

import numpy as np


def standardise(x, eps):
    with ProcessPoolExecutor(2) as pool:
        mean, variance = pool.map(np.mean, (x, x)), pool.map(np.var, (x, x))
        return (x - next(mean)) / np.sqrt(next(variance) + eps)
