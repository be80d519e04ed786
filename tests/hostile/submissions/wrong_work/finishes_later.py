# mechanism: an array that a thread fills after the clock has stopped
# verdict: wrong_answer
import threading
import time

import numpy as np


def standardise(x, eps):
    answer = np.zeros_like(x)

    def fill():
        time.sleep(0.5)
        answer[:] = (x - x.mean()) / np.sqrt(x.var() + np.float32(eps))

    threading.Thread(target=fill).start()
    return answer
