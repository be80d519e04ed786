# mechanism: an answer whose destructor ends the program once it has been read
# verdict: runtime_error
import os

import numpy as np


class Ending(np.ndarray):
    def __del__(self):
        os._exit(0)


def standardise(x, eps):
    return ((x - x.mean()) / np.sqrt(x.var() + np.float32(eps))).view(Ending)
