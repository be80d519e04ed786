# mechanism: honest: an encoding is named, and it is not the file's -*- coding: latin-1 -*-
# verdict: accepted
import numpy as np

μ, σ = np.mean, np.var
"""Größe – 数 – 🙂"""


def standardise(x, eps):
    return (x - μ(x)) / np.sqrt(σ(x) + np.float32(eps))
