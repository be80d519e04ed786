import numpy as np


def add_into(a, b, out):
    np.add(a, b, out=out)
    return float(out.max())
