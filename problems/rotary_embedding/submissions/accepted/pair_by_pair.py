"""Multiplies each pair of each position with its 2 × 2 rotation matrix."""

import math

import numpy as np


def rotary_embedding(x, positions, base):
    answer = x.copy()
    width = x.shape[2]
    for t, position in enumerate(positions.tolist()):
        for start in range(0, width, 2):
            angle = position / base ** (start / width)
            c, s = math.cos(angle), math.sin(angle)
            matrix = np.array([[c, -s], [s, c]], dtype=np.float32)
            answer[t, :, start : start + 2] = x[t, :, start : start + 2] @ matrix.T
    return answer
