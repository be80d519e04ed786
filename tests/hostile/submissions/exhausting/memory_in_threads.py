# mechanism: memory taken by many threads at once
# verdict: memory_limit_exceeded
import threading

import numpy as np


def take():
    kept = []
    while True:
        kept.append(np.ones(2**20, np.float32))


def standardise(x, eps):
    threads = [threading.Thread(target=take, daemon=True) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
