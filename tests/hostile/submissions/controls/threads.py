# mechanism: honest: works in threads
# verdict: accepted
from concurrent.futures import ThreadPoolExecutor

import numpy as np


def standardise(x, eps):
    with ThreadPoolExecutor(4) as pool:
        mean, variance = pool.map(lambda function: function(x), (np.mean, np.var))
    return (x - mean) / np.sqrt(variance + np.float32(eps))
