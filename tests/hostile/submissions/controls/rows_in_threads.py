# mechanism: computes rows in threads
# verdict: accepted
# problem: product_by_hand
from concurrent.futures import ThreadPoolExecutor

import numpy as np


def product(a, b):
    with ThreadPoolExecutor(2) as pool:
        return np.array(list(pool.map(lambda row: (row[:, None] * b).sum(0), a)))
