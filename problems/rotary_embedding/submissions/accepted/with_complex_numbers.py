"""Takes each pair as a complex number and multiplies it with exp(i φ)."""

import numpy as np


def rotary_embedding(x, positions, base):
    numbers = np.ascontiguousarray(x).view(np.complex64)
    count = numbers.shape[-1]
    angles = np.outer(positions, np.power(base, -np.arange(0, 2 * count, 2) / (2 * count)))
    turned = numbers * np.exp(1j * angles)[:, np.newaxis, :]
    return turned.astype(np.complex64).view(np.float32)
