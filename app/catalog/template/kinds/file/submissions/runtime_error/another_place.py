# Writes beside the path.

import numpy as np


def save_checkpoint(path, weights, step):
    np.savez(f"{path}.copy", weights=weights, step=step)
